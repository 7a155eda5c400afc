import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as setDelay } from "node:timers/promises";
import { CompiledQuery, type Driver } from "kysely";
import { Code, DomainError } from "../../domain/errors.ts";
import type { ReplicaState } from "../store.ts";
import type { ChangeWatch, ProjectRevision } from "./change-watch.ts";
import type { ClientSettings } from "./client-settings.ts";
import { type PostgresConnection, PostgresDriver, type TransactionOptions } from "./driver.ts";
import {
  measureDelay,
  PipelinedConnection,
  type StatementRunner,
} from "./pipelined-connections.ts";

/** The time for connecting to a replica, for a free connection and for a statement, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** The interval of probes, and the time for which a replica is left alone after a failure, in milliseconds. */
const PROBE_INTERVAL_MS = 1_000;

/** The time for which a replica is not asked again for a project in which it was behind, in milliseconds. */
const BEHIND_MS = 20;

/** The most projects in which a replica is known to be behind. */
const MOST_BEHIND = 1_000;

const SNAPSHOTS: Omit<TransactionOptions, "delay"> = {
  name: "replica",
  begin: "begin isolation level repeatable read read only",
  most: 10,
  timeouts: { connect: TIMEOUT_MS, wait: TIMEOUT_MS, statement: TIMEOUT_MS },
};

/** A promoted replica goes on without the primary. */
const SELECT_REVISION =
  "select change_count as revision, pg_is_in_recovery() as is_replica from project where id = $1";

const PROBE = `
  select pg_is_in_recovery() as is_replica,
    (select change_count from project where id = $1) as revision
`;

const SELECT_CLUSTER = "select system_identifier::text as id from pg_control_system()";

/** Returns the id that a primary and its replicas share; undefined if the user may not read it. */
export async function readClusterId(runner: StatementRunner): Promise<string | undefined> {
  const found = await runner.run(SELECT_CLUSTER, []).catch(() => undefined);
  return found?.rows[0]?.id;
}

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
}

/**
 * A replica for reads of projects. Its state is probed every second; a failure of any kind leaves it alone until the
 * next probe that succeeds.
 */
export class Replica {
  readonly #settings: ClientSettings;
  readonly #options: ReplicaOptions;
  readonly #probe: PipelinedConnection;
  /** The projects in which it was behind, and until when it is not asked again. */
  readonly #behind = new Map<string, number>();
  /** The connections since it was found in order: those before may hang. */
  #driver: PostgresDriver;
  #state: ReplicaState = "unavailable";
  #reading = 0;
  #failures = 0;
  /** What was known at the last probe. */
  #expected: ProjectRevision | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: ClientSettings, options: ReplicaOptions) {
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

  /** The number of reads in progress. */
  get reading(): number {
    return this.#reading;
  }

  /** Reports whether it is in order and not known to be behind in a project. */
  mayRead(projectId: string): boolean {
    if (this.#state === "unavailable") return false;
    const until = this.#behind.get(projectId);
    return until === undefined || performance.now() >= until;
  }

  /**
   * Reads a project in one snapshot, in which the project has at least the revision; undefined if it does not, or the
   * replica fails. Throws errors only that are answers, such as NOT_FOUND.
   */
  async read<T>(
    { projectId, revision }: ProjectRevision,
    run: () => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    this.#reading += 1;
    const driver = this.#driver;
    const connection = await driver.acquireConnection();
    let reading: Promise<T> | undefined;
    try {
      await driver.beginTransaction(connection);
      const checking = connection.executeQuery<{
        readonly revision: number;
        readonly is_replica: boolean;
      }>(CompiledQuery.raw(SELECT_REVISION, [projectId]));
      // Sent together with the check.
      reading = SNAPSHOT.run(connection, run);
      reading.catch(() => {});
      const [row] = (await checking).rows;
      if (row?.is_replica === false) throw new Error("the replica was promoted");
      if (row === undefined || row.revision < revision) {
        this.#noteBehind(projectId);
        return undefined;
      }
      return { value: await reading };
    } catch (fault) {
      if (fault instanceof DomainError && fault.code !== Code.UNAVAILABLE) throw fault;
      this.#leaveAlone(driver);
      return undefined;
    } finally {
      void this.#end(connection, reading);
    }
  }

  /** Probes it, and again at intervals. */
  async probe(): Promise<void> {
    const failures = this.#failures;
    const state = await this.#findState().catch(() => "unavailable" as const);
    if (this.#isClosed) return;
    if (this.#failures === failures) {
      if (state === "unavailable") this.#leaveAlone(this.#driver);
      this.#state = state;
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
    const { rows } = await this.#probe.run(PROBE, [expected?.projectId ?? null]);
    const [{ is_replica, revision }] = rows as [{ is_replica: boolean; revision: number | null }];
    if (!is_replica) return "unavailable";
    if (clusterId !== undefined && (await readClusterId(this.#probe)) !== clusterId) {
      return "unavailable";
    }
    return expected !== undefined && (revision ?? 0) < expected.revision ? "behind" : "used";
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  #noteBehind(projectId: string): void {
    if (this.#behind.size >= MOST_BEHIND) this.#behind.clear();
    this.#behind.set(projectId, performance.now() + BEHIND_MS);
  }

  #leaveAlone(driver: PostgresDriver): void {
    // Others have failed on the same connections.
    if (driver !== this.#driver || this.#isClosed) return;
    this.#state = "unavailable";
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
