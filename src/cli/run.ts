import { ConfigError } from "../config.ts";
import { DomainError } from "../domain/errors.ts";
import { describeUsage } from "./help.ts";
import { serve } from "./serve.ts";
import { token } from "./token.ts";

const COMMANDS = { serve, token };

/**
 * Runs a command to its end; `serve` goes on after that. A setting that cannot be understood ends
 * the process with one line and exit code 2, any other failure with 1.
 */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await runCommand(args, env);
  } catch (cause) {
    const isForeseen = cause instanceof ConfigError || cause instanceof DomainError;
    const text = isForeseen || isSystemError(cause) ? cause.message : describe(cause);
    process.stderr.write(`marquee: ${text}\n`);
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

/** Such as a port that is taken: its message says what the operator needs. */
function isSystemError(cause: unknown): cause is NodeJS.ErrnoException {
  return cause instanceof Error && "syscall" in cause;
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
