import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { countIn, type Mutant, readMutants } from "./mutants.ts";

// Shows what the tests would not notice: applies each mutant to a copy of the repository and runs the
// tests that are to fail. Ends with 1 if less than 95 % are killed, or if a mutant no longer applies.

const USAGE = "npm run mutate -- [--only <part of a name or file>] [--workers <number>]";
const GOAL = 0.95;
/** The longest that the tests of one mutant may take, in milliseconds; a mutant may loop for ever. */
const TIMEOUT = 180_000;

type Outcome = "killed" | "survived";

const { values } = parseArgs({
  options: { only: { type: "string" }, workers: { type: "string" }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const { only = "" } = values;
const mutants = readMutants().filter((it) => `${it.name}\n${it.file}`.includes(only));
const stale = mutants.filter(
  (it) => countIn(readFileSync(join(root, it.file), "utf8"), it.find) !== 1,
);
for (const { name, file } of stale) console.error(`does not apply to ${file}: ${name}`);
if (stale.length > 0 || mutants.length === 0) process.exit(1);

const waiting = [...mutants];
const survivors: Mutant[] = [];
let done = 0;
const start = performance.now();
const workers = Number(values.workers ?? Math.min(availableParallelism(), 4));
await Promise.all(Array.from({ length: workers }, work));

const killed = mutants.length - survivors.length;
const share = killed / mutants.length;
for (const { name, file, survives } of survivors) {
  console.log(`survived: ${name} (${file})${survives === undefined ? "" : `: ${survives}`}`);
}
const seconds = ((performance.now() - start) / 1_000).toFixed(0);
console.log(`${killed} of ${mutants.length} killed (${(100 * share).toFixed(1)} %), ${seconds} s`);
process.exit(share >= GOAL ? 0 : 1);

/** Takes mutants until none is left, in a copy of the repository of its own. */
async function work(): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "marquee-mutants-"));
  try {
    copyRepository(copy);
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const outcome = await judge(mutant, copy);
      done += 1;
      console.log(`${done}/${mutants.length} ${outcome}: ${mutant.name}`);
      if (outcome === "survived") survivors.push(mutant);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Copies what git knows, or would take in. */
function copyRepository(copy: string): void {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0");
  for (const name of new Set(names.filter((it) => it !== ""))) {
    cpSync(join(root, name), join(copy, name));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
}

async function judge({ file, find, replace, tests }: Mutant, copy: string): Promise<Outcome> {
  const path = join(copy, file);
  const original = readFileSync(path, "utf8");
  writeFileSync(
    path,
    original.replace(find, () => replace),
  );
  try {
    return (await passes(tests, copy)) ? "survived" : "killed";
  } finally {
    writeFileSync(path, original);
  }
}

function passes(tests: readonly string[], cwd: string): Promise<boolean> {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const options = ["run", ...tests, "--bail=1", "--maxWorkers=1", "--reporter=dot"];
  const child = spawn(process.execPath, [vitest, ...options], { cwd, stdio: "ignore" });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}
