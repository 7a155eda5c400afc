import type { Registry } from "prom-client";
import type { Endpoint } from "../http/server/dispatcher.ts";

/** Databases by name, and when the data of each were put together. */
export type AgingDatabases = ReadonlyMap<string, { readonly buildTime: Date }>;

/** What is told of actions. */
export interface ActionMetrics {
  /** How many attempts of this process led to what. */
  counts(): Readonly<Record<string, number>>;
  /** How many runs wait to be sent, by whichever process, and since when. */
  backlog(): Promise<{ readonly pending: number; readonly oldestTime?: Date }>;
}

/**
 * Creates `/metrics`, in the text format of Prometheus: those of the process, how old the databases of
 * addresses are, and how far actions are behind. Measuring begins with the first question, and costs nothing without one.
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
    help: "How long ago the data of a database of addresses were put together.",
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
    help: "How many attempts to send an action led to what.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      attempts.reset();
      for (const [outcome, count] of Object.entries(actions.counts())) {
        attempts.inc({ outcome }, count);
      }
    },
  });
  // NaN while the database does not answer: the process's own numbers are told all the same.
  const waiting = new Gauge({
    name: "marquee_actions_pending",
    help: "How many runs of actions wait to be taken by their receivers.",
    registers: [registry],
    async collect() {
      const backlog = await actions.backlog().catch(() => undefined);
      waiting.set(backlog?.pending ?? Number.NaN);
    },
  });
  const oldest = new Gauge({
    name: "marquee_action_oldest_pending_age_seconds",
    help: "How long the oldest of them has waited; 0: none waits.",
    registers: [registry],
    async collect() {
      const now = clock().getTime();
      const backlog = await actions.backlog().catch(() => undefined);
      oldest.set(backlog ? (now - (backlog.oldestTime?.getTime() ?? now)) / 1_000 : Number.NaN);
    },
  });
  return registry;
}
