import cluster from "node:cluster";
import { constants } from "node:os";
import { setImmediate } from "node:timers/promises";
import { listNearNames } from "../domain/base/text.ts";
import type { Commands } from "./command.ts";
import { printCompletion } from "./completion.ts";
import { type Inputs, parseCommandLine } from "./program.ts";
import { ConfigError, variableOf } from "./setting.ts";

/**
 * Runs a command; `serve` continues after this returns. Wrong usage ends the process with one line and exit code 2,
 * any other failure with 1, an interrupt with 130, and a closed standard output with 141. A command whose output could not
 * be written has failed, because the output may be a secret that is shown once.
 */
export async function run(
  commands: Commands,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  let inputs: Inputs | undefined;
  try {
    if (args[0] === "complete" && args[1] === "--") {
      printCompletion(commands, args.slice(2));
      return;
    }
    const command = parseCommandLine(commands, args, env);
    if (command === undefined) return;
    inputs = command.inputs;
    // Workers have the variables of the process that runs them.
    if (!cluster.isWorker) warnOfUnknownVariables(commands, env);
    if (command.interrupted === undefined) return await command.run();
    const release = onInterrupt(command.interrupted);
    let failure: Error | undefined;
    const onError = (error: Error) => {
      failure = error;
    };
    process.stdout.on("error", onError);
    try {
      await command.run();
      // Node reports a failed write later.
      await setImmediate();
      if (failure !== undefined) throw failure;
    } finally {
      process.stdout.off("error", onError);
      release();
    }
  } catch (cause) {
    const { describeFailure, isSystemError } = await import("./failure.ts");
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

const PREFIX = "MARQUEE_";

/** The variables that Kubernetes sets in every container for a service named `marquee`. */
const SERVICE_LINK = /^MARQUEE_(\w+_)?(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)\w*)?)$/;

/** Warns on standard error about variables that look like settings but are not. */
function warnOfUnknownVariables(commands: Commands, env: NodeJS.ProcessEnv): void {
  const known = new Set(listFlags(commands).map((flag) => variableOf(flag).slice(PREFIX.length)));
  for (const name of Object.keys(env)) {
    if (!name.startsWith(PREFIX) || known.has(name.slice(PREFIX.length))) continue;
    if (SERVICE_LINK.test(name)) continue;
    const [near] = listNearNames(name.slice(PREFIX.length), known);
    const hint = near === undefined ? "" : `; did you mean ${PREFIX}${near}?`;
    process.stderr.write(`marquee: warning: unknown setting ${name}${hint}\n`);
  }
}

function listFlags(commands: Commands): string[] {
  return Object.values(commands).flatMap((it) =>
    "commands" in it ? listFlags(it.commands) : Object.keys(it.settings),
  );
}
