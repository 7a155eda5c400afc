import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Runs Connect's conformance suite against the product's HTTP layer. The program is a file next to the checkout, or the
// one that CONNECTCONFORMANCE names; without it nothing is run. Arguments go to the program instead of the lists of
// known differences, such as --run 'Basic/**'.

const HERE = fileURLToPath(new URL("./", import.meta.url));
const PACKED = fileURLToPath(
  new URL("../../../shared/tools/connectconformance.xz", import.meta.url),
);
const UNPACKED_BYTES = 256 * 1024 * 1024;

const folder = mkdtempSync(join(tmpdir(), "marquee-conformance-"));
try {
  process.exitCode = await run(process.argv.slice(2));
} finally {
  rmSync(folder, { recursive: true });
}

async function run(given: readonly string[]): Promise<number> {
  const program = process.env.CONNECTCONFORMANCE ?? unpack();
  if (program === undefined) {
    process.stdout.write(`conformance: not run, ${PACKED} is not there\n`);
    return 0;
  }
  const known = [
    ...["--known-failing", `@${HERE}known-failing.txt`],
    ...["--known-flaky", `@${HERE}known-flaky.txt`],
  ];
  const child = spawn(
    program,
    [
      ...["--mode", "server", "--conf", `${HERE}config.yaml`, "--max-servers", "2"],
      ...(given.length > 0 ? given : known),
      ...["--", process.execPath, `${HERE}server.ts`],
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let report = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  // For a good run, the counts are enough: the rest lists expected failures.
  const counts = report.slice(Math.max(report.lastIndexOf("Total cases:"), 0));
  process.stdout.write(code === 0 ? counts : report);
  process.stdout.write(`conformance: ${code === 0 ? "passed" : "FAILED"}\n`);
  return code ?? 1;
}

/** Unpacks the program into the temporary folder; `undefined` if it is not there. */
function unpack(): string | undefined {
  if (!existsSync(PACKED)) return undefined;
  const program = join(folder, "connectconformance");
  writeFileSync(program, execFileSync("xz", ["-dc", PACKED], { maxBuffer: UNPACKED_BYTES }));
  chmodSync(program, 0o700);
  return program;
}
