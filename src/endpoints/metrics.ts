import type { Registry } from "prom-client";
import type { Endpoint } from "../http/server/dispatcher.ts";
import { listMetrics, type MetricSources } from "./metric-list.ts";

/** The metrics of several processes that serve one port. */
export interface SharedMetrics {
  /** Adds the metrics of this process. */
  share(registry: Registry): void;
  /** Reads the metrics of all processes as text; undefined if one of them does not respond. */
  readAll(): Promise<string | undefined>;
}

/** The sources of metrics. */
export interface MetricsOptions extends MetricSources {
  /** Absent if this process serves its port alone. */
  readonly shared?: SharedMetrics | undefined;
}

/**
 * Creates `/metrics` in the text format of Prometheus: process metrics and those of `listMetrics`. A process that
 * serves its port alone loads the library at the first request. Of several processes, the one that is asked answers
 * for all; if another one does not respond, for itself.
 */
export function metricsEndpoint(options: MetricsOptions): Endpoint {
  const { shared } = options;
  let opening: Promise<Registry> | undefined;
  const open = () => {
    opening ??= openRegistry(options);
    return opening;
  };
  // The other processes may be asked first.
  if (shared !== undefined) open().then(shared.share, () => {});
  return async () => {
    const registry = await open();
    const text = (await shared?.readAll()) ?? (await registry.metrics());
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
  for (const { isShared = false, read, ...description } of listMetrics(sources)) {
    // The library's own counters would count what is counted already; it reads any object of this form.
    const metric = {
      ...description,
      // Of several processes, all report what is in the database.
      aggregator: isShared ? "max" : "sum",
      get: async () => ({ ...description, aggregator: metric.aggregator, values: await read() }),
    };
    registry.registerMetric(metric as never);
  }
  return registry;
}
