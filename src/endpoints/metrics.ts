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

/** The metrics of several processes that serve one port. */
export interface SharedMetrics {
  /** Adds the metrics of this process. */
  share(registry: Registry): void;
  /** Reads the metrics of all processes as text; undefined if one of them does not respond. */
  readAll(): Promise<string | undefined>;
}

/** The sources of metrics. */
export interface MetricsOptions {
  readonly databases: AgingDatabases;
  readonly actions: ActionMetrics;
  readonly clock: () => Date;
  /** Absent if this process serves its port alone. */
  readonly shared?: SharedMetrics | undefined;
}

/**
 * Creates `/metrics` in the text format of Prometheus: process metrics, the age of the address databases, and
 * the attempts and backlog of actions. A process that serves its port alone collects from the first request on,
 * which costs nothing before. Of several processes, the one that is asked answers for all; if another one does not
 * respond, for itself.
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

async function openRegistry({ databases, actions, clock }: MetricsOptions): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const age = new Gauge({
    name: "marquee_country_database_age_seconds",
    help: "Age of an address database since its build time, in seconds.",
    labelNames: ["database"],
    // The same in every process.
    aggregator: "max",
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
    // The same in every process.
    aggregator: "max",
    registers: [registry],
    async collect() {
      const backlog = await actions.backlog().catch(() => undefined);
      waiting.set(backlog?.pending ?? Number.NaN);
    },
  });
  const oldest = new Gauge({
    name: "marquee_action_oldest_pending_age_seconds",
    help: "Age of the oldest pending action run, in seconds; 0 without pending runs.",
    // The same in every process.
    aggregator: "max",
    registers: [registry],
    async collect() {
      const now = clock().getTime();
      const backlog = await actions.backlog().catch(() => undefined);
      oldest.set(backlog ? (now - (backlog.oldestTime?.getTime() ?? now)) / 1_000 : Number.NaN);
    },
  });
  return registry;
}
