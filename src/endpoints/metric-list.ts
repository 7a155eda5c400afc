import { type Code, CodeSchema } from "../../gen/google/rpc/code_pb.ts";
import { DURATION_BOUNDS, type Durations } from "../domain/durations.ts";
import type { RequestMetrics, RequestSeries } from "../http/server/request-metrics.ts";

/** The build times of databases, by name. */
export type AgingDatabases = ReadonlyMap<string, { readonly buildTime: Date }>;

/** The sources of the metrics of actions. */
export interface ActionMetrics {
  /** Counts the attempts of this process by outcome. */
  counts(): Readonly<Record<string, number>>;
  /** Counts the pending runs of all processes, and returns the time of the oldest. */
  backlog(): Promise<{ readonly pending: number; readonly oldestTime?: Date }>;
}

/** The sources of the metrics of streams. */
export interface StreamMetrics {
  /** The claims of this process by result. */
  readonly claims: Readonly<Record<string, number>>;
  /** Counts the streams of all processes at a time. */
  count(now: Date): Promise<number>;
}

/** The connections of a database for one purpose. */
export interface PoolMetrics {
  readonly name: string;
  readonly statements: Durations;
  readState(): { readonly inUse: number; readonly idle: number; readonly waiting: number };
}

/** The state of the answer cache. */
export interface CacheMetrics {
  readonly reads: Readonly<Record<string, number>>;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly evicted: number;
}

/** What metrics are read from. */
export interface MetricSources {
  readonly clock: () => Date;
  readonly databases: AgingDatabases;
  readonly actions: ActionMetrics;
  readonly streams: StreamMetrics;
  readonly pools: readonly PoolMetrics[];
  readonly requests: RequestMetrics;
  readonly load: { readonly inProgress: number };
  /** Absent if no answers are cached. */
  readonly cache?: { readonly state: CacheMetrics } | undefined;
  /** Absent if the rate of requests is not limited. */
  readonly rateLimits?: { readonly refused: ReadonlyMap<string, number> } | undefined;
}

/** A value of a metric, in the form of prom-client. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The name of a part of a histogram. */
  readonly metricName?: string;
}

/** A metric of the service. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** True if every process reports the same value; default: false. */
  readonly isShared?: boolean;
  read(): Promise<readonly Sample[]> | readonly Sample[];
}

/** Lists the metrics of the service, each of which is read when it is asked for. */
export function listMetrics(sources: MetricSources): readonly Metric[] {
  const { cache, rateLimits } = sources;
  return [
    ...listRequestMetrics(sources),
    ...(cache ? listCacheMetrics(cache) : []),
    ...(rateLimits ? [rateMetric(rateLimits)] : []),
    ...listDatabaseMetrics(sources),
    ...listStreamMetrics(sources),
    ...listActionMetrics(sources),
    ageMetric(sources),
  ];
}

function listRequestMetrics({ requests, load }: MetricSources): readonly Metric[] {
  const name = "marquee_request_duration_seconds";
  return [
    {
      ...{ name, type: "histogram" },
      help: "Duration of requests by face, method and code.",
      read: () =>
        Array.from(requests.list()).flatMap((series) =>
          Array.from(series.list()).flatMap(([code, durations]) =>
            toSamples(name, toLabels(series, code), durations),
          ),
        ),
    },
    {
      ...{ name: "marquee_requests_in_progress", type: "gauge" },
      help: "Calls in progress.",
      read: () => [{ labels: {}, value: load.inProgress }],
    },
  ];
}

function toLabels({ face, method }: RequestSeries, code: Code): Sample["labels"] {
  return { face, method, code: CodeSchema.value[code]?.name ?? "UNKNOWN" };
}

function listCacheMetrics(cache: { readonly state: CacheMetrics }): readonly Metric[] {
  return [
    {
      ...{ name: "marquee_cache_reads_total", type: "counter" },
      help: "Reads that the cache may answer: hit, joined (with the answer to another one), miss.",
      read: () => toLabelled("result", Object.entries(cache.state.reads)),
    },
    {
      ...{ name: "marquee_cache_evictions_total", type: "counter" },
      help: "Cached answers dropped to make room for others.",
      read: () => [{ labels: {}, value: cache.state.evicted }],
    },
    {
      ...{ name: "marquee_cache_bytes", type: "gauge" },
      help: "Memory that cached answers take, in bytes.",
      read: () => [{ labels: {}, value: cache.state.bytes }],
    },
    {
      ...{ name: "marquee_cache_max_bytes", type: "gauge" },
      help: "Memory that cached answers may take, in bytes.",
      read: () => [{ labels: {}, value: cache.state.maxBytes }],
    },
  ];
}

function rateMetric({ refused }: NonNullable<MetricSources["rateLimits"]>): Metric {
  return {
    ...{ name: "marquee_rate_limited_requests_total", type: "counter" },
    help: "Requests past a rate limit, by limit.",
    read: () => toLabelled("limit", refused),
  };
}

function listDatabaseMetrics({ pools }: MetricSources): readonly Metric[] {
  const name = "marquee_database_statement_duration_seconds";
  return [
    {
      ...{ name, type: "histogram" },
      help: "Duration of database statements by pool of connections.",
      read: () => pools.flatMap((it) => toSamples(name, { pool: it.name }, it.statements)),
    },
    {
      ...{ name: "marquee_database_connections", type: "gauge" },
      help: "Open database connections by pool and state: in_use, idle.",
      read: () =>
        pools.flatMap((pool) => {
          const { inUse, idle } = pool.readState();
          return [
            { labels: { pool: pool.name, state: "in_use" }, value: inUse },
            { labels: { pool: pool.name, state: "idle" }, value: idle },
          ];
        }),
    },
    {
      ...{ name: "marquee_database_waiting", type: "gauge" },
      help: "Reads and writes that wait for a database connection or for their turn on one, by pool.",
      read: () =>
        toLabelled(
          "pool",
          pools.map((it) => [it.name, it.readState().waiting] as const),
        ),
    },
  ];
}

function listStreamMetrics({ streams, clock }: MetricSources): readonly Metric[] {
  return [
    {
      ...{ name: "marquee_streams", type: "gauge", isShared: true },
      help: "Video streams that viewers hold a lease on.",
      // NaN while the database is unavailable; the metrics of the process are still reported.
      read: async () => [
        { labels: {}, value: await streams.count(clock()).catch(() => Number.NaN) },
      ],
    },
    {
      ...{ name: "marquee_stream_claims_total", type: "counter" },
      help: "Claims of a lease by result: held, or full if the viewer has no stream left.",
      read: () => toLabelled("result", Object.entries(streams.claims)),
    },
  ];
}

function listActionMetrics({ actions, clock }: MetricSources): readonly Metric[] {
  const readBacklog = () => actions.backlog().catch(() => undefined);
  return [
    {
      ...{ name: "marquee_action_attempts_total", type: "counter" },
      help: "Attempts to send an action run, by outcome.",
      read: () => toLabelled("outcome", Object.entries(actions.counts())),
    },
    {
      ...{ name: "marquee_actions_pending", type: "gauge", isShared: true },
      help: "Action runs that wait to be delivered.",
      read: async () => [{ labels: {}, value: (await readBacklog())?.pending ?? Number.NaN }],
    },
    {
      ...{ name: "marquee_action_oldest_pending_age_seconds", type: "gauge", isShared: true },
      help: "Age of the oldest pending action run, in seconds; 0 without pending runs.",
      async read() {
        const now = clock().getTime();
        const backlog = await readBacklog();
        const age = backlog ? now - (backlog.oldestTime?.getTime() ?? now) : Number.NaN;
        return [{ labels: {}, value: age / 1_000 }];
      },
    },
  ];
}

function ageMetric({ databases, clock }: MetricSources): Metric {
  return {
    ...{ name: "marquee_country_database_age_seconds", type: "gauge", isShared: true },
    help: "Age of an address database since its build time, in seconds.",
    read: () =>
      Array.from(databases, ([database, { buildTime }]) => ({
        labels: { database },
        value: (clock().getTime() - buildTime.getTime()) / 1_000,
      })),
  };
}

function toLabelled(
  label: string,
  values: Iterable<readonly [value: string, count: number]>,
): readonly Sample[] {
  return Array.from(values, ([name, value]) => ({ labels: { [label]: name }, value }));
}

/** Returns the parts of a histogram, whose buckets include those below them. */
function toSamples(
  name: string,
  labels: Sample["labels"],
  { counts, total }: Durations,
): readonly Sample[] {
  let count = 0;
  const buckets = Array.from(counts, (own, index) => {
    count += own;
    const le = String(DURATION_BOUNDS[index] ?? "+Inf");
    return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels, value: total, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}
