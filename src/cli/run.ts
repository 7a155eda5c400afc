import { ConfigError } from "../config.ts";
import { DomainError } from "../domain/errors.ts";
import { annotations } from "./annotations.ts";
import { backup } from "./backup.ts";
import { exportProject } from "./export.ts";
import { describeUsage } from "./help.ts";
import { importFile } from "./import.ts";
import { init } from "./init.ts";
import { keys } from "./keys.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";
import { token } from "./token.ts";

const COMMANDS = {
  serve,
  init,
  import: importFile,
  export: exportProject,
  annotations,
  backup,
  restore,
  keys,
  token,
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
    process.stdout.write(describeUsage());
    return;
  }
  if (!Object.hasOwn(COMMANDS, command)) {
    throw new ConfigError(`unknown command '${command}'; see --help`);
  }
  await COMMANDS[command as keyof typeof COMMANDS](args, env);
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
