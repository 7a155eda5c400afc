import { AggregatorRegistry } from "prom-client";
import type { SharedMetrics } from "../endpoints/metrics.ts";
import type { MetricsMessage, WorkerMessage } from "./workers.ts";

/** This process as one of several workers. */
export interface OwnWorker {
  readonly metrics: SharedMetrics;
  /** Reports that it listens, with the text that describes the server. */
  reportListening(text: string): void;
}

/** Returns this process as a worker of `runWorkers`. Node ends it when the process that runs the workers is gone. */
export function joinWorkers(): OwnWorker {
  const readings = new Map<number, (text: string | undefined) => void>();
  let lastId = 0;
  const send = (message: WorkerMessage) => process.send?.(message);
  process.on("message", (message: MetricsMessage) => {
    if (message.type !== "metrics") return;
    readings.get(message.id)?.(message.text);
    readings.delete(message.id);
  });
  return {
    metrics: {
      share(registry) {
        AggregatorRegistry.setRegistries([registry]);
        // Answers the other process's requests for the metrics of this one.
        new AggregatorRegistry();
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
