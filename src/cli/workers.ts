import cluster, { type Worker } from "node:cluster";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import type { AggregatorRegistry } from "prom-client";
import type { MetricReadings, SharedMetrics } from "../http/endpoints/metrics.ts";

/** A message of a worker to the process that runs the workers. */
type WorkerMessage =
  | { readonly type: "listening"; readonly text: string }
  | { readonly type: "read metrics"; readonly id: number }
  | { readonly type: "metrics"; readonly metrics: MetricReadings };

/** A message to a worker: a request for its own metrics, or the metrics of all workers. */
type MetricsMessage =
  | { readonly type: "report metrics"; readonly restarts: number }
  | { readonly type: "all metrics"; readonly id: number; readonly text: string };

/** The pause before a crashed worker is replaced, in milliseconds. */
const RESTART_PAUSE = 500;

/** How long workers may take to report their metrics, in milliseconds: more than they wait for the database. */
const REPORT_TIME = 850;

/**
 * Runs the command line of this process in `count` workers, which share its ports, until SIGTERM or SIGINT. Prints the
 * URLs when all of them listen, and replaces workers that crash. Ends the process with 0 once all workers have ended,
 * and with 1 if one fails before it listens for the first time.
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
  const metrics = new WorkerMetrics(AggregatorRegistry.aggregate);
  cluster.on("message", (worker, message: WorkerMessage) => {
    if (message.type === "listening") {
      listening += 1;
      if (listening === count) process.stdout.write(message.text);
    } else if (message.type === "metrics") {
      metrics.take(worker, message.metrics);
    } else {
      metrics.read().then(
        (text) => send(worker, { type: "all metrics", id: message.id, text }),
        (cause: unknown) => log.error({ err: cause }, "could not collect worker metrics"),
      );
    }
  });
  cluster.on("exit", async (worker, code, signal) => {
    if (!isEnding && listening < count) end(1);
    if (isEnding) {
      if (listWorkers().length === 0) process.exit(exitCode);
      return;
    }
    metrics.end(worker);
    log.error({ worker: worker.process.pid, code, signal }, "worker ended, starting another");
    await setTimeout(RESTART_PAUSE);
    if (!isEnding) cluster.fork();
  });
  for (let started = 0; started < count; started += 1) cluster.fork();
}

/** This process as one of several workers. */
interface OwnWorker {
  readonly metrics: SharedMetrics;
  /** Reports that it listens, with the description of the server. */
  reportListening(text: string): void;
}

/** Returns this process as a worker of `runWorkers`. Node ends it when the process that runs the workers is gone. */
export function joinWorkers(): OwnWorker {
  const readings = new Map<number, (text: string) => void>();
  let lastId = 0;
  let restarts = 0;
  let read: () => Promise<MetricReadings> = async () => [];
  const send = (message: WorkerMessage) => process.send?.(message);
  process.on("message", async (message: MetricsMessage) => {
    if (message.type === "report metrics") {
      ({ restarts } = message);
      send({ type: "metrics", metrics: await read() });
    } else if (message.type === "all metrics") {
      readings.get(message.id)?.(message.text);
      readings.delete(message.id);
    }
  });
  return {
    metrics: {
      get restarts() {
        return restarts;
      },
      share(toRead) {
        read = toRead;
      },
      readAll() {
        lastId += 1;
        const id = lastId;
        return new Promise((resolve) => {
          readings.set(id, resolve);
          send({ type: "read metrics", id });
        });
      },
    },
    reportListening: (text) => send({ type: "listening", text }),
  };
}

/** The metrics of all workers. The counters of those that have ended stay in the sums, which therefore never fall. */
class WorkerMetrics {
  readonly #aggregate: typeof AggregatorRegistry.aggregate;
  /** The last report of each worker that runs. */
  readonly #reports = new Map<number, MetricReadings>();
  /** The counters of the workers that have ended. */
  readonly #ended: MetricReadings[] = [];
  #restarts = 0;
  /** The workers that owe a report to those who read. */
  readonly #missing = new Set<number>();
  #reading: Promise<string> | undefined;
  #complete = () => {};

  constructor(aggregate: typeof AggregatorRegistry.aggregate) {
    this.#aggregate = aggregate;
  }

  /** Reads the metrics of all workers in the format of Prometheus; a worker that does not report in time counts with its last report. */
  read(): Promise<string> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Takes the report of a worker. */
  take(worker: Worker, metrics: MetricReadings): void {
    if (worker.isDead()) return;
    this.#reports.set(worker.id, metrics);
    this.#settle(worker);
  }

  /** Stores the last reported counters of a worker that has ended. */
  end(worker: Worker): void {
    const isCounter = ({ type, aggregator }: MetricReadings[number]) =>
      type !== "gauge" && aggregator === "sum";
    const report = this.#reports.get(worker.id);
    if (report !== undefined) this.#ended.push(report.filter(isCounter));
    this.#reports.delete(worker.id);
    this.#restarts += 1;
    this.#settle(worker);
  }

  async #readOnce(): Promise<string> {
    const complete = new Promise<void>((resolve) => {
      this.#complete = resolve;
    });
    for (const worker of listWorkers()) {
      this.#missing.add(worker.id);
      send(worker, { type: "report metrics", restarts: this.#restarts });
    }
    await Promise.race([complete, setTimeout(REPORT_TIME)]);
    this.#missing.clear();
    // Metrics of workers that crash repeatedly take no more memory than the metrics of one.
    const ended = this.#ended.splice(0);
    this.#ended.push(await this.#aggregate(ended).getMetricsAsJSON());
    return this.#aggregate([...this.#ended, ...this.#reports.values()]).metrics();
  }

  #settle(worker: Worker): void {
    if (this.#missing.delete(worker.id) && this.#missing.size === 0) this.#complete();
  }
}

function listWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {})
    .filter((worker) => worker !== undefined)
    .filter((worker) => !worker.isDead());
}

function send(worker: Worker, message: MetricsMessage): void {
  if (worker.isConnected()) worker.send(message);
}
