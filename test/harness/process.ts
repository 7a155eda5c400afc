import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the checkout. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The variable that names the folder of the programs that a run has bundled. */
export const PROGRAMS = "MARQUEE_TEST_PROGRAMS";

/** Returns the file that Node runs for a program of this tree: its bundle, in a run of tests. */
export function programPath(path: string): string {
  const folder = process.env[PROGRAMS];
  return folder === undefined ? `${ROOT}${path}` : `${folder}/${path.replace(/\.ts$/, ".mjs")}`;
}

/** What a process has done when it is over. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until standard output matches; throws if the process ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  finished: Promise<Finished>;
}

/** How a process is started. */
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** True to leave standard input open; default: it ends after `stdin`. */
  readonly keepsStdin?: boolean;
}

const running = new Set<ChildProcess>();

/** Kills every process that was started here and still runs. */
export function endProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Starts a program of `node_modules/.bin` or of the machine; nothing of this environment's settings reaches it. */
export function start(
  program: string,
  args: readonly string[],
  { env = {}, cwd = ROOT, stdin, keepsStdin = false }: StartOptions = {},
): Running {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MARQUEE_"));
  const child = spawn(program, args, {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: "pipe",
  });
  running.add(child);
  // A program may end without reading its input.
  child.stdin.on("error", () => {});
  if (!keepsStdin) child.stdin.end(stdin);
  let stdout = "";
  let stderr = "";
  let isOver = false;
  let wake = () => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const finished = once(child, "close").then(([code, signal]) => {
    isOver = true;
    running.delete(child);
    wake();
    return { code, signal, stdout, stderr } as Finished;
  });
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match !== null) return match;
        if (isOver) throw new Error(`ended before ${pattern}: ${stdout}${stderr}`);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    finished,
  };
}

/** Runs a program to its end. */
export function run(
  program: string,
  args: readonly string[],
  options?: StartOptions,
): Promise<Finished> {
  return start(program, args, options).finished;
}

/** The service's own command line on the pinned Node, with the flags and variables of `bin/marquee`. */
export const MARQUEE = {
  program: `${ROOT}node_modules/.bin/node`,
  args: (...args: readonly string[]) => [
    ...readScript().filter((word) => word.startsWith("--")),
    programPath("src/main.ts"),
    ...args,
  ],
  get env(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      readScript()
        .filter((word) => /^[A-Z_]+=/.test(word))
        .map((word) => word.split("=", 2)),
    );
  },
} as const;

/** Reads the words of the last line of `bin/marquee`. */
function readScript(): readonly string[] {
  const [line = ""] = readFileSync(`${ROOT}bin/marquee`, "utf8").trimEnd().split("\n").slice(-1);
  return line.split(" ");
}

/** The program of the npm package `buf`, without the script that starts it. */
export const BUF = join(
  ROOT,
  `tools/programs/node_modules/@bufbuild/buf-${process.platform}-${process.arch}/bin/buf`,
);
