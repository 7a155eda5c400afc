import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as setDelay } from "node:timers/promises";
import { CompiledQuery, type Driver } from "kysely";
import { Code, DomainError } from "../../domain/errors.ts";
import type { ReplicaHealth, ReplicaState, StateLog } from "../connection-pool.ts";
import { type ChangeWatch, type ProjectRevision, readClusterId } from "./change-watch.ts";
import type { ClientSettings } from "./client-settings.ts";
import { type PostgresConnection, PostgresDriver, type TransactionOptions } from "./driver.ts";
import { measureDelay, PipelinedConnection } from "./pipelined-connections.ts";

/** The time for connecting to a replica, for a free connection and for a statement, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** The interval of probes, and the time for which a replica is left alone after a failure, in milliseconds. */
const PROBE_INTERVAL_MS = 1_000;

/** The time for which a replica is not asked again for a project in which it was behind, in milliseconds. */
const BEHIND_MS = 20;

/** The time after which a replica that is behind is reported, in seconds: it may be so for a moment at any time. */
const REPORTED_LAG = 5;

/** The most projects in which a replica is known to be behind. */
const MOST_BEHIND = 1_000;

const SNAPSHOTS: Omit<TransactionOptions, "delay"> = {
  name: "replica",
  begin: "begin isolation level repeatable read read only",
  most: 10,
  timeouts: { connect: TIMEOUT_MS, wait: TIMEOUT_MS, statement: TIMEOUT_MS },
  session: { statement_timeout: String(TIMEOUT_MS) },
};

/** A promoted replica goes on without the primary. */
const SELECT_STATE = `
  select pg_is_in_recovery() as is_replica,
    extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age,
    (select change_count from project where id = $1) as revision
`;

const SNAPSHOT = new AsyncLocalStorage<PostgresConnection>();

/** Runs statements in the snapshot that {@link Replica.read} has opened around the caller. */
export const SNAPSHOT_DRIVER: Driver = {
  init: async () => {},
  async acquireConnection() {
    const connection = SNAPSHOT.getStore();
    if (connection === undefined) throw new Error("no snapshot of a replica is open");
    return connection;
  },
  beginTransaction: async () => {},
  commitTransaction: async () => {},
  rollbackTransaction: async () => {},
  releaseConnection: async () => {},
  destroy: async () => {},
};

/** What a replica is checked against. */
export interface ReplicaOptions {
  readonly changes: Pick<ChangeWatch, "newest">;
  /** The id of the primary's cluster; undefined: any. */
  readonly clusterId: string | undefined;
  /** Receives when it is left alone, behind, and used again. */
  readonly log?: StateLog | undefined;
}

/**
 * A replica for reads of projects. Its state is probed every second; a failure of any kind leaves it alone until the
 * next probe that succeeds.
 */
export class Replica {
  readonly #name: string;
  readonly #settings: ClientSettings;
  readonly #options: ReplicaOptions;
  readonly #probe: PipelinedConnection;
  /** The projects in which it was behind, and until when it is not asked again. */
  readonly #behind = new Map<string, number>();
  /** The connections since it was found in order: those before may hang. */
  #driver: PostgresDriver;
  #state: ReplicaState = "unavailable";
  /** The state that was reported last. */
  #reported: ReplicaState = "used";
  /** The time of the last probe that found it in order. */
  #usedTime = performance.now();
  /** The age of the last transaction that it had at the last probe, in seconds. */
  #age: number | undefined;
  #reading = 0;
  #failures = 0;
  /** What was known at the last probe. */
  #expected: ProjectRevision | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: ClientSettings, options: ReplicaOptions) {
    const { host, port } = new settings.Client(settings.toConfig());
    this.#name = `${host}:${port}`;
    this.#settings = settings;
    this.#options = options;
    this.#probe = new PipelinedConnection(settings, {
      timeoutMs: TIMEOUT_MS,
      connectTimeoutMs: TIMEOUT_MS,
    });
    this.#driver = this.#connect();
  }

  get state(): ReplicaState {
    return this.#state;
  }

  get health(): ReplicaHealth {
    return { name: this.#name, state: this.#state, lagSeconds: this.#lagSeconds };
  }

  /** Without writes its last transaction is old, although it lacks none; with many it is never in order. */
  get #lagSeconds(): number {
    if (this.#state === "used") return 0;
    const unused = (performance.now() - this.#usedTime) / 1_000;
    return this.#state === "behind" ? Math.min(unused, this.#age ?? unused) : unused;
  }

  /** The number of reads in progress. */
  get reading(): number {
    return this.#reading;
  }

  /** Reports whether it is in order and not known to be behind in a project, if one is given. */
  mayRead(projectId = ""): boolean {
    if (this.#state === "unavailable") return false;
    const until = this.#behind.get(projectId);
    return until === undefined || performance.now() >= until;
  }

  /**
   * Reads in one snapshot, in which the project has at least the revision if one is given; undefined if it does not, or
   * the replica fails. Throws errors only that are answers, such as NOT_FOUND.
   */
  async read<T>(
    least: ProjectRevision | undefined,
    run: () => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    this.#reading += 1;
    const driver = this.#driver;
    const connection = await driver.acquireConnection();
    let reading: Promise<T> | undefined;
    try {
      await driver.beginTransaction(connection);
      const checking = connection.executeQuery<{
        readonly revision: number | null;
        readonly is_replica: boolean;
      }>(CompiledQuery.raw(SELECT_STATE, [least?.projectId ?? null]));
      // Sent together with the check.
      reading = SNAPSHOT.run(connection, run);
      reading.catch(() => {});
      const [row] = (await checking).rows;
      if (row?.is_replica !== true) throw new Error("the replica was promoted");
      if (least !== undefined && (row.revision ?? 0) < least.revision) {
        this.#noteBehind(least.projectId);
        return undefined;
      }
      return { value: await reading };
    } catch (fault) {
      if (fault instanceof DomainError && fault.code !== Code.UNAVAILABLE) throw fault;
      this.#leaveAlone(driver, fault);
      return undefined;
    } finally {
      void this.#end(connection, reading);
    }
  }

  /** Probes it, and again at intervals. */
  async probe(): Promise<void> {
    const failures = this.#failures;
    try {
      const state = await this.#findState();
      if (this.#failures === failures) this.#enter(state);
    } catch (fault) {
      if (this.#failures === failures) this.#leaveAlone(this.#driver, fault);
    }
    this.#schedule();
  }

  /** Closes its connections, or leaves those that hang. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const closing = Promise.all([this.#driver.destroy(), this.#probe.close()]);
    // One that hangs does not take leave.
    await Promise.race([closing, setDelay(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #findState(): Promise<ReplicaState> {
    const { clusterId, changes } = this.#options;
    const expected = this.#expected;
    this.#expected = changes.newest;
    const { rows } = await this.#probe.run(SELECT_STATE, [expected?.projectId ?? null]);
    const [{ is_replica, age, revision }] = rows as [
      { is_replica: boolean; age: number | null; revision: number | null },
    ];
    if (!is_replica) throw new Error("the replica was promoted");
    if (clusterId !== undefined && (await readClusterId(this.#probe)) !== clusterId) {
      throw new Error("the replica belongs to another cluster");
    }
    this.#age = age ?? undefined;
    return expected !== undefined && (revision ?? 0) < expected.revision ? "behind" : "used";
  }

  /** Enters a state and reports it, with the reason why it is left alone. */
  #enter(state: ReplicaState, reason?: unknown): void {
    if (this.#isClosed) return;
    this.#state = state;
    if (state === "used") this.#usedTime = performance.now();
    const lag = this.#lagSeconds;
    if (state === this.#reported || (state === "behind" && lag < REPORTED_LAG)) return;
    this.#reported = state;
    const replica = this.#name;
    const { log } = this.#options;
    if (state === "used") log?.warn({ replica }, "replica is used again");
    else if (state === "behind") log?.warn({ replica, lag_seconds: lag }, "replica is behind");
    else log?.warn({ replica, err: reason }, "replica is left alone");
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  #noteBehind(projectId: string): void {
    if (this.#behind.size >= MOST_BEHIND) this.#behind.clear();
    this.#behind.set(projectId, performance.now() + BEHIND_MS);
  }

  #leaveAlone(driver: PostgresDriver, reason: unknown): void {
    // Others have failed on the same connections.
    if (driver !== this.#driver || this.#isClosed) return;
    this.#enter("unavailable", reason);
    this.#failures += 1;
    this.#driver = this.#connect();
    driver.destroy().catch(() => {});
    this.#schedule();
  }

  #connect(): PostgresDriver {
    const delay = measureDelay(this.#probe);
    return new PostgresDriver(this.#settings, this.#probe, { ...SNAPSHOTS, delay });
  }

  async #end(connection: PostgresConnection, reading: Promise<unknown> | undefined): Promise<void> {
    await reading?.catch(() => {});
    if (reading !== undefined) await connection.commit().catch(() => connection.rollback());
    connection.release();
    this.#reading -= 1;
  }
}
