import cluster, { type Worker } from "node:cluster";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";

/** A message of a worker to the process that runs the workers. */
export type WorkerMessage =
  | { readonly type: "listening"; readonly text: string }
  | { readonly type: "read metrics"; readonly id: number };

/** A message to a worker: the metrics of all workers as text, or undefined if they could not be read. */
export interface MetricsMessage {
  readonly type: "metrics";
  readonly id: number;
  readonly text: string | undefined;
}

/** The pause before a crashed worker is replaced, in milliseconds. */
const RESTART_PAUSE = 500;

/**
 * Runs the command line of this process in `count` workers, which share its ports, until SIGTERM or SIGINT.
 * Prints the addresses when all of them listen, replaces workers that crash, and ends the process: with 0 once
 * all workers have ended, with 1 if one fails before it listens for the first time.
 */
export async function runWorkers(count: number, log: Logger): Promise<void> {
  let isEnding = false;
  let listening = 0;
  let exitCode = 0;

  const end = (code: number) => {
    if (isEnding) return;
    isEnding = true;
    exitCode = code;
    for (const worker of listWorkers()) worker.process.kill("SIGTERM");
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => end(0));

  const { AggregatorRegistry } = await import("prom-client");
  const metrics = new AggregatorRegistry();
  cluster.on("message", (worker, message: WorkerMessage) => {
    if (message.type === "listening") {
      listening += 1;
      if (listening === count) process.stdout.write(message.text);
    } else if (message.type === "read metrics") {
      const reply = (text?: string) => send(worker, { type: "metrics", id: message.id, text });
      metrics.clusterMetrics().then(reply, (cause: unknown) => {
        log.warn({ err: cause }, "metrics of workers not read");
        reply();
      });
    }
  });
  cluster.on("exit", async (worker, code, signal) => {
    if (!isEnding && listening < count) end(1);
    if (isEnding) {
      if (listWorkers().length === 0) process.exit(exitCode);
      return;
    }
    log.error({ worker: worker.process.pid, code, signal }, "worker ended, starting another");
    await setTimeout(RESTART_PAUSE);
    if (!isEnding) cluster.fork();
  });
  for (let started = 0; started < count; started += 1) cluster.fork();
}

function listWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
}

function send(worker: Worker, message: MetricsMessage): void {
  if (worker.isConnected()) worker.send(message);
}
