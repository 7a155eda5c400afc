import { setTimeout } from "node:timers/promises";
import type { Registry } from "prom-client";
import { CodeSchema } from "../../../gen/google/rpc/code_pb.ts";
import type { ReleaseSchedule } from "../../api/release-schedule.ts";
import { DURATION_BOUNDS, type Durations } from "../../domain/base/durations.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { Endpoint } from "../listener/exchange.ts";
import type { RateLimits } from "../listener/rate-limits.ts";
import type { RequestLoad } from "../listener/request-load.ts";
import type { RequestMetrics } from "../listener/request-metrics.ts";
import type { UnreadResponses } from "../listener/unread-responses.ts";

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
export interface MetricSources {
  readonly clock: () => Date;
  /** The labels of `marquee_build_info`. */
  readonly build: Readonly<Record<string, string>>;
  readonly requests: RequestMetrics;
  readonly load: RequestLoad;
  readonly unread: UnreadResponses;
  readonly waits: { readonly waiting: number; readonly results: Readonly<Record<string, number>> };
  /** The databases of IP addresses by name. */
  readonly places: ReadonlyMap<string, { readonly buildTime: Date }>;
  /** Counts the attempts of this process to send a run, by outcome. */
  readonly countAttempts: () => Readonly<Record<string, number>>;
  readonly schedule: ReleaseSchedule;
  readonly store: Store;
  /** Absent if no responses are cached. */
  readonly cache: { readonly state: CacheState } | undefined;
  /** Absent if the rate of requests is not limited. */
  readonly rateLimits: RateLimits | undefined;
  /** The processes that share the port; absent: this one has it alone. */
  readonly shared: SharedMetrics | undefined;
}

/** The state of a cache of responses. */
export interface CacheState {
  /** The reads by their result: from memory, by the call of another request, or by a call of their own. */
  readonly reads: Readonly<Record<"hit" | "joined" | "miss", number>>;
  /** The bytes that the responses take, and the most that they may. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** The responses dropped to make room. */
  readonly evicted: number;
}

/**
 * Creates `/metrics` in the text format of Prometheus: process metrics and the list of `listMetrics`. A process that
 * serves its port alone loads the library at the first request. With several processes, any of them responds for all.
 */
export function metricsEndpoint(sources: MetricSources): Endpoint {
  const { shared } = sources;
  let opening: Promise<Registry> | undefined;
  const open = () => {
    opening ??= openRegistry(sources);
    return opening;
  };
  if (shared !== undefined) {
    shared.share(async () => (await open()).getMetricsAsJSON().then((it) => it.map(toShared)));
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

/** Gives workers a start time, which the library omits: alerts find a process by it that starts again and again. */
function toShared(metric: MetricReadings[number]): MetricReadings[number] {
  return metric.aggregator === "omit" ? { ...metric, aggregator: "min" } : metric;
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

/** The longest wait for the database, in milliseconds: a scrape gets its response within a second. */
const DATABASE_DEADLINE_MS = 700;

const REPLICA_STATES = ["used", "behind", "unavailable"];

/** A value of a metric, in the form of prom-client. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The name of a part of a histogram. */
  readonly metricName?: string;
}

type Read = () => Promise<readonly Sample[]> | readonly Sample[];

/** A metric of the service. */
interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly read: Read;
  /** How the values of several processes become one. */
  readonly aggregator: "max" | "min" | "sum";
}

/**
 * Lists the metrics of the service. Each one is read on demand. Metrics from the database have no values while it does
 * not respond.
 */
function listMetrics(sources: MetricSources): readonly Metric[] {
  const { cache, clock, places, rateLimits, requests, shared, store } = sources;
  const readReadiness = askBriefly(() => store.readiness());
  const readBacklog = askBriefly(() => store.actionRuns.backlog());
  const readReleases = askBriefly(() => store.releaseItems.countPending());
  const readTables = askBriefly(() => store.measureTables());
  const countStreams = askBriefly(() => store.leases.count(clock()));
  const ageOf = (time: Date) => (clock().getTime() - time.getTime()) / 1_000;
  const listReplicas = () => store.listReplicas?.() ?? [];
  return [
    gauge(
      "marquee_build_info",
      "1, with the versions of Marquee and Node and the engine of the database.",
      () => [{ labels: sources.build, value: 1 }],
      "max",
    ),
    counter(
      "marquee_worker_restarts_total",
      "Workers that ended and were replaced.",
      () => toSample(shared?.restarts ?? 0),
      "max",
    ),
    histogram(
      "marquee_request_duration_seconds",
      "Duration of requests by protocol, method and code.",
      () =>
        Array.from(requests.list()).flatMap((series) =>
          Array.from(series.list(), ([number, durations]) => {
            const { protocol, method } = series;
            const code = CodeSchema.value[number]?.name ?? "UNKNOWN";
            return [{ protocol, method, code }, durations] as const;
          }),
        ),
    ),
    gauge("marquee_requests_in_progress", "Calls in progress.", () =>
      toSample(sources.load.inProgress),
    ),
    gauge("marquee_waiting_requests", "Reads that wait for a change.", () =>
      toSample(sources.waits.waiting),
    ),
    counter(
      "marquee_waits_total",
      "Reads that asked to wait, by result: news, none (nothing changed), full (too many waited).",
      () => toSamples("result", Object.entries(sources.waits.results)),
    ),
    gauge("marquee_unread_response_bytes", "Bytes of responses that wait for their readers.", () =>
      toSample(sources.unread.bytes),
    ),
    counter(
      "marquee_readers_cut_total",
      "Readers disconnected because they were too slow, or took too much memory.",
      () => toSample(sources.unread.cut),
    ),
    counter("marquee_rate_limited_requests_total", "Requests past a rate limit, by limit.", () =>
      toSamples("limit", rateLimits?.rejected ?? []),
    ),
    counter(
      "marquee_cache_reads_total",
      "Reads of cacheable methods by result: hit, joined (shares the response of a concurrent request), miss.",
      () => toSamples("result", Object.entries(cache?.state.reads ?? {})),
    ),
    counter(
      "marquee_cache_evictions_total",
      "Cached responses dropped to make room for others.",
      () => toSample(cache?.state.evicted),
    ),
    gauge("marquee_cache_bytes", "Memory that cached responses take, in bytes.", () =>
      toSample(cache?.state.bytes),
    ),
    gauge("marquee_cache_max_bytes", "Memory that cached responses may take, in bytes.", () =>
      toSample(cache?.state.maxBytes),
    ),
    gauge(
      "marquee_database_up",
      "1 if the database responds, that is its primary server; otherwise 0.",
      async () => toSample((await readReadiness())?.primary === true ? 1 : 0),
      "min",
    ),
    gauge(
      "marquee_database_writable",
      "0 while writes fail although the database responds, for example because its disk is full; otherwise 1.",
      async () => {
        const readiness = await readReadiness();
        return toSample(readiness && Number(readiness.writable));
      },
      "min",
    ),
    gauge(
      "marquee_database_schema",
      "Number of the last migration that was applied.",
      async () => toSample((await readReadiness())?.schema),
      "max",
    ),
    gauge(
      "marquee_table_bytes",
      "Size of a table with its indexes, in bytes; in SQLite measured once an hour.",
      async () => toSamples("table", (await readTables()) ?? []),
      "max",
    ),
    histogram(
      "marquee_database_statement_duration_seconds",
      "Duration of database statements by pool of connections.",
      () => store.pools.map(({ name, statements }) => [{ pool: name }, statements] as const),
    ),
    gauge(
      "marquee_database_connections",
      "Open database connections by pool and state: in_use, idle.",
      () =>
        store.pools.flatMap(({ name: pool, readState }) => [
          { labels: { pool, state: "in_use" }, value: readState().inUse },
          { labels: { pool, state: "idle" }, value: readState().idle },
        ]),
    ),
    gauge("marquee_database_max_connections", "The most database connections by pool.", () =>
      toSamples(
        "pool",
        store.pools.map(({ name, readState }) => [name, readState().most] as const),
      ),
    ),
    gauge(
      "marquee_database_waiting",
      "Reads and writes that wait for a database connection or for their turn on one, by pool.",
      () =>
        toSamples(
          "pool",
          store.pools.map(({ name, readState }) => [name, readState().waiting] as const),
        ),
    ),
    gauge(
      "marquee_replica_state",
      "Processes that see a replica in a state: used, behind, unavailable.",
      () =>
        listReplicas().flatMap(({ name: replica, state: actual }) =>
          REPLICA_STATES.map((state) => ({
            labels: { replica, state },
            value: state === actual ? 1 : 0,
          })),
        ),
    ),
    gauge(
      "marquee_replica_lag_seconds",
      "How long a replica has lacked changes that the process knows, in seconds; otherwise 0.",
      () =>
        toSamples(
          "replica",
          listReplicas().map(({ name, lagSeconds }) => [name, lagSeconds] as const),
        ),
      "max",
    ),
    gauge(
      "marquee_streams",
      "Video streams in use by viewers.",
      async () => toSample(await countStreams()),
      "max",
    ),
    counter(
      "marquee_stream_claims_total",
      "Claims of a stream by result: held, or full if the viewer has no stream left.",
      () => toSamples("result", Object.entries(store.leases.claims)),
    ),
    counter(
      "marquee_action_attempts_total",
      "Attempts to send an action run, by outcome; given_up: the last one failed.",
      () => toSamples("outcome", Object.entries(sources.countAttempts())),
    ),
    gauge(
      "marquee_actions_pending",
      "Action runs that wait to be delivered.",
      async () => toSample((await readBacklog())?.pending),
      "max",
    ),
    gauge(
      "marquee_action_oldest_pending_age_seconds",
      "Age of the oldest pending action run, in seconds; 0 without pending runs.",
      async () => {
        const backlog = await readBacklog();
        return toSample(backlog && ageOf(backlog.oldestTime ?? clock()));
      },
      "max",
    ),
    gauge(
      "marquee_releases",
      "Releases that are not applied, by state: open, scheduled.",
      async () => {
        const { open, scheduled } = (await readReleases()) ?? {};
        return toSamples("state", Object.entries({ open, scheduled }));
      },
      "max",
    ),
    gauge(
      "marquee_release_overdue_seconds",
      "How long a scheduled release has been due, in seconds; 0 if none is.",
      async () => {
        const releases = await readReleases();
        return toSample(releases && Math.max(0, ageOf(releases.nextTime ?? clock())));
      },
      "max",
    ),
    counter("marquee_release_failures_total", "Scheduled releases that could not be applied.", () =>
      toSample(sources.schedule.failed),
    ),
    gauge(
      "marquee_country_database_age_seconds",
      "Age of a database of IP addresses since its build time, in seconds.",
      () =>
        toSamples(
          "database",
          Array.from(places, ([name, { buildTime }]) => [name, ageOf(buildTime)] as const),
        ),
      "max",
    ),
  ];
}

/**
 * Returns a function that asks the database, undefined if it does not respond in time. It is not asked again while it
 * still owes a response.
 */
function askBriefly<T>(ask: () => Promise<T>): () => Promise<T | undefined> {
  let asking: Promise<T | undefined> | undefined;
  return () => {
    asking ??= ask()
      .catch(() => undefined)
      .finally(() => {
        asking = undefined;
      });
    return Promise.race([asking, setTimeout(DATABASE_DEADLINE_MS, undefined, { ref: false })]);
  };
}

const gauge = createMetric("gauge");
const counter = createMetric("counter");

function createMetric(type: "counter" | "gauge") {
  return (
    name: string,
    help: string,
    read: Read,
    aggregator: Metric["aggregator"] = "sum",
  ): Metric => ({
    type,
    name,
    help,
    read,
    aggregator,
  });
}

/** Creates a histogram, whose buckets include those below them. */
function histogram(
  name: string,
  help: string,
  list: () => readonly (readonly [labels: Sample["labels"], durations: Durations])[],
): Metric {
  const read = () =>
    list().flatMap(([labels, { counts, total }]) => {
      let count = 0;
      const buckets = Array.from(counts, (inBucket, index) => {
        count += inBucket;
        const le = String(DURATION_BOUNDS[index] ?? "+Inf");
        return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { labels, value: total, metricName: `${name}_sum` },
        { labels, value: count, metricName: `${name}_count` },
      ];
    });
  return { type: "histogram", name, help, read, aggregator: "sum" };
}

function toSample(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

function toSamples(
  label: string,
  values: Iterable<readonly [name: string, value: number | undefined]>,
): readonly Sample[] {
  return Array.from(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ labels: { [label]: name }, value }],
  );
}
