import cluster from "node:cluster";
import { constants } from "node:os";
import { describeFailure, type Inputs, isSystemError } from "./failure.ts";
import { parseCommandLine } from "./program.ts";
import { ConfigError } from "./setting.ts";
import { warnOfUnknownVariables } from "./variables.ts";

/**
 * Runs a command; `serve` continues after this returns. Wrong usage ends the process with one line and exit code 2,
 * any other failure with 1, an interrupt with 130, and a closed standard output with 141.
 */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  let inputs: Inputs | undefined;
  try {
    if (args[0] === "complete" && args[1] === "--") {
      (await import("./complete.ts")).printCompletion(args.slice(2));
      return;
    }
    const command = parseCommandLine(args, env);
    if (command === undefined) return;
    inputs = command.inputs;
    // Workers have the variables of the process that runs them.
    if (!cluster.isWorker) warnOfUnknownVariables(env);
    const release = command.interrupted === undefined ? () => {} : onInterrupt(command.interrupted);
    try {
      await command.run(env);
    } finally {
      release();
    }
  } catch (cause) {
    // The reader of standard output has ended, such as `head`.
    if (isSystemError(cause) && cause.code === "EPIPE") process.exit(141);
    process.stderr.write(`marquee: ${describeFailure(cause, inputs)}\n`);
    process.exit(cause instanceof ConfigError ? 2 : 1);
  }
}

/** Ends the process at an interrupt and prints the state that it leaves, until the returned function is called. */
function onInterrupt(text: string): () => void {
  const end = (signal: NodeJS.Signals) => {
    process.stderr.write(`\nmarquee: interrupted; ${text}\n`);
    process.exit(128 + constants.signals[signal]);
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  return () => process.off("SIGINT", end).off("SIGTERM", end);
}
