import type { Registry } from "prom-client";
import type { Endpoint } from "../listener/exchange.ts";
import { listMetrics, type MetricSources } from "./metric-list.ts";

/** The metrics of one process with their values, in the form of prom-client. */
export type MetricReadings = readonly {
  readonly type: unknown;
  /** How the values of several processes become one. */
  readonly aggregator: string;
}[];

/** The metrics of several processes that serve one port. */
export interface SharedMetrics {
  /** The number of processes that ended and were replaced. */
  readonly restarts: number;
  /** Adds the metrics of this process, which are read by a function. */
  share(read: () => Promise<MetricReadings>): void;
  /** Reads the metrics of all processes as text, those that ended included. */
  readAll(): Promise<string>;
}

/** The sources of metrics. */
export interface MetricsOptions extends MetricSources {
  /** Absent if this process serves its port alone. */
  readonly shared?: SharedMetrics | undefined;
}

/**
 * Creates `/metrics` in the text format of Prometheus: process metrics and the list of `listMetrics`. A process that
 * serves its port alone loads the library at the first request. With several processes, any of them responds for all.
 */
export function metricsEndpoint(options: MetricsOptions): Endpoint {
  const { shared } = options;
  let opening: Promise<Registry> | undefined;
  const open = () => {
    opening ??= openRegistry(options);
    return opening;
  };
  if (shared !== undefined) {
    shared.share(async () => (await open()).getMetricsAsJSON());
    // The first scrape waits for all processes.
    open().catch(() => {});
  }
  return async () => {
    const registry = await open();
    const text = await (shared ? shared.readAll() : registry.metrics());
    return {
      status: 200,
      headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      body: Buffer.from(text),
    };
  };
}

async function openRegistry(sources: MetricSources): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const { read, ...description } of listMetrics(sources)) {
    // The values are counted elsewhere, and the library reads any object of this form.
    const get = async () => ({ ...description, values: await read() });
    registry.registerMetric({ ...description, get } as never);
  }
  return registry;
}
