import type { MetricReadings, SharedMetrics } from "../http/endpoints/metrics.ts";
import type { MetricsMessage, WorkerMessage } from "./workers.ts";

/** This process as one of several workers. */
export interface OwnWorker {
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
