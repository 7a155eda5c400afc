import type { Registry } from "prom-client";
import type { Endpoint } from "../http/server/dispatcher.ts";

/** The build times of databases, by name. */
export type AgingDatabases = ReadonlyMap<string, { readonly buildTime: Date }>;

/** The sources of the metrics of actions. */
export interface ActionMetrics {
  /** Counts the attempts of this process by outcome. */
  counts(): Readonly<Record<string, number>>;
  /** Counts the pending runs of all processes, and returns the time of the oldest. */
  backlog(): Promise<{ readonly pending: number; readonly oldestTime?: Date }>;
}

/**
 * Creates `/metrics` in the text format of Prometheus: process metrics, the age of the address databases, and
 * the attempts and backlog of actions. Collection starts with the first request and costs nothing before.
 */
export function metricsEndpoint(
  databases: AgingDatabases,
  actions: ActionMetrics,
  clock: () => Date,
): Endpoint {
  let opening: Promise<Registry> | undefined;
  return async () => {
    opening ??= openRegistry(databases, actions, clock);
    const registry = await opening;
    return {
      status: 200,
      headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      body: Buffer.from(await registry.metrics()),
    };
  };
}

async function openRegistry(
  databases: AgingDatabases,
  actions: ActionMetrics,
  clock: () => Date,
): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const age = new Gauge({
    name: "marquee_country_database_age_seconds",
    help: "Age of an address database since its build time, in seconds.",
    labelNames: ["database"],
    registers: [registry],
    collect() {
      for (const [name, { buildTime }] of databases) {
        age.set({ database: name }, (clock().getTime() - buildTime.getTime()) / 1_000);
      }
    },
  });
  const attempts = new Counter({
    name: "marquee_action_attempts_total",
    help: "Attempts to send an action run, by outcome.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      attempts.reset();
      for (const [outcome, count] of Object.entries(actions.counts())) {
        attempts.inc({ outcome }, count);
      }
    },
  });
  // NaN while the database is unavailable; the metrics of the process are still reported.
  const waiting = new Gauge({
    name: "marquee_actions_pending",
    help: "Action runs that wait to be delivered.",
    registers: [registry],
    async collect() {
      const backlog = await actions.backlog().catch(() => undefined);
      waiting.set(backlog?.pending ?? Number.NaN);
    },
  });
  const oldest = new Gauge({
    name: "marquee_action_oldest_pending_age_seconds",
    help: "Age of the oldest pending action run, in seconds; 0 without pending runs.",
    registers: [registry],
    async collect() {
      const now = clock().getTime();
      const backlog = await actions.backlog().catch(() => undefined);
      oldest.set(backlog ? (now - (backlog.oldestTime?.getTime() ?? now)) / 1_000 : Number.NaN);
    },
  });
  return registry;
}
