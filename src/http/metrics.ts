import type { Registry } from "prom-client";
import type { Endpoint } from "./dispatcher.ts";

/** Databases by name, and when the data of each were put together. */
export type AgingDatabases = ReadonlyMap<string, { readonly buildTime: Date }>;

/**
 * Creates `/metrics`, in the text format of Prometheus: those of the process, and how old the databases
 * of addresses are. Measuring begins with the first question, and costs nothing without one.
 */
export function metricsEndpoint(databases: AgingDatabases, clock: () => Date): Endpoint {
  let opening: Promise<Registry> | undefined;
  return async () => {
    opening ??= openRegistry(databases, clock);
    const registry = await opening;
    return {
      status: 200,
      headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      body: Buffer.from(await registry.metrics()),
    };
  };
}

async function openRegistry(databases: AgingDatabases, clock: () => Date): Promise<Registry> {
  const { collectDefaultMetrics, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const age = new Gauge({
    name: "marquee_country_database_age_seconds",
    help: "How long ago the data of a database of addresses were put together.",
    labelNames: ["database"],
    registers: [registry],
    collect() {
      for (const [name, { buildTime }] of databases) {
        age.set({ database: name }, (clock().getTime() - buildTime.getTime()) / 1_000);
      }
    },
  });
  return registry;
}
