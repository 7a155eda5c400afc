import { COMMANDS } from "../../src/cli/commands/index.ts";
import { type ParsedCommand, parseCommandLine } from "../../src/cli/program.ts";
import { run } from "../../src/cli/run.ts";
import type { Finished } from "./process.ts";

/** Ends a command in the place of `process.exit`. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** Reads a command line of the program, without running it. */
export function parseCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ParsedCommand | undefined {
  return parseCommandLine(COMMANDS, args, env);
}

/** Runs a command as {@link runCommandIn} does, without environment variables. */
export function runCommand(...args: readonly string[]): Promise<Finished> {
  return runCommandIn({}, ...args);
}

/**
 * Runs a command of the command line in this process, which saves the start of another: for tests of what a
 * command does and prints. It sees the variables given and reads no standard input. One at a time.
 */
export async function runCommandIn(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Finished> {
  const { exit } = process;
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  process.exit = (code) => {
    throw new Exit(Number(code ?? 0));
  };
  let code = 0;
  try {
    await run(COMMANDS, args, env);
  } catch (cause) {
    if (!(cause instanceof Exit)) throw cause;
    code = cause.code;
  } finally {
    process.exit = exit;
    stdout.release();
    stderr.release();
  }
  return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
}

/** Keeps what is written to a stream from now on, instead of writing it. */
function capture(stream: NodeJS.WriteStream) {
  const { write } = stream;
  const chunks: Buffer[] = [];
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done);
    return true;
  };
  return {
    text: () => Buffer.concat(chunks).toString("utf8"),
    release() {
      stream.write = write;
    },
  };
}
