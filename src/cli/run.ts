import { ConfigError } from "../config.ts";
import { DomainError } from "../domain/errors.ts";
import { limitHeap } from "./heap.ts";

/** Runs a command with its arguments and the environment. */
type Command = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<void>;

/** The commands; each is loaded only when it is run, so that a small one does not wait for the server's code. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => {
    limitHeap();
    return (await import("./serve.ts")).serve;
  },
  init: async () => (await import("./init.ts")).init,
  import: async () => (await import("./import.ts")).importFile,
  export: async () => (await import("./export.ts")).exportProject,
  annotations: async () => (await import("./annotations.ts")).annotations,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  "migrate-database": async () => (await import("./migrate-database.ts")).migrateDatabase,
  keys: async () => (await import("./keys.ts")).keys,
  token: async () => (await import("./token.ts")).token,
};

/**
 * Runs a command; `serve` continues after this returns. An invalid setting ends the process with one line
 * and exit code 2, any other failure with 1.
 */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runCommand(args, env);
  } catch (cause) {
    process.stderr.write(`marquee: ${describe(cause)}\n`);
    process.exit(cause instanceof ConfigError ? 2 : 1);
  }
}

async function runCommand(
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  if (command === "--help" || command === "help" || args.includes("--help")) {
    const { describeUsage } = await import("./help.ts");
    process.stdout.write(describeUsage());
    return;
  }
  const load = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (load === undefined) throw new ConfigError(`unknown command '${command}'; see --help`);
  const run = await load();
  await run(args, env);
}

/** Describes a failure to the operator: an expected one in one line, including its cause. */
function describe(failure: unknown): string {
  if (!(failure instanceof Error)) return String(failure);
  if (failure instanceof DomainError && failure.cause instanceof Error) {
    return `${failure.message}: ${failure.cause.message}`;
  }
  const isForeseen =
    failure instanceof ConfigError || failure instanceof DomainError || isSystemError(failure);
  return isForeseen ? failure.message : (failure.stack ?? failure.message);
}

/** Reports whether the system call failed, such as for a port in use: its message suffices for the operator. */
function isSystemError(failure: Error): boolean {
  return "syscall" in failure;
}
