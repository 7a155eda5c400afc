import { setTimeout as setDelay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { ReplicaHealth, ReplicaState, StateLog } from "../contract/connection-pool.ts";
import type { ContentStore } from "../contract/content-store.ts";
import type { DeliveryReads } from "../contract/store.ts";
import type { Tx } from "../db/db.ts";
import { inside } from "../sql/base/connections.ts";
import { createCollections } from "../sql/content/index/collections.ts";
import { SqlStores } from "../sql/stores.ts";
import { type ChangeWatch, type ProjectRevision, readDatabaseId } from "./change-watch.ts";
import { type ClientSettings, type PostgresLocation, readSettings } from "./client-settings.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";
import { isPoolBusy } from "./errors.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { BEGIN_READ } from "./postgres-reads.ts";

/** The time limit for connecting to a replica, for a free connection and for a statement, in milliseconds. */
const TIMEOUT_MS = 1_000;
const TIMEOUTS = { connect: TIMEOUT_MS, wait: TIMEOUT_MS, statement: TIMEOUT_MS };

/** The interval of probes, and how long a replica is out of use after a failure, in milliseconds. */
const PROBE_INTERVAL_MS = 1_000;

/** How long a replica is not asked again for a project after it was behind in it, in milliseconds. */
const BEHIND_MS = 20;

/** The lag of a replica that is reported, in seconds: less may occur at any time. */
const REPORTED_LAG = 5;

/** Maximum number of projects with a known lag of a replica. */
const MOST_BEHIND = 1_000;

/** The state of a replica and the revision of a project there; a promoted replica continues without the primary. */
const SELECT_STATE = `
  select pg_is_in_recovery() as is_replica,
    extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as age,
    (select change_count from project where id = $1) as revision
`;

/** The primary to compare replicas with, and its log. */
interface ReplicaOptions {
  readonly changes: ChangeWatch;
  /** The id of the database; undefined: any. */
  readonly databaseId: string | undefined;
  /** Receives a report when a replica is out of use, behind, and in use again. */
  readonly log?: StateLog | undefined;
}

/**
 * A replica for reads of projects. Its state is probed every second; a failure of any kind takes it out of use until the
 * next successful probe.
 */
class Replica {
  state: ReplicaState = "unavailable";
  /** The number of reads in progress. */
  reading = 0;
  readonly #name: string;
  readonly #settings: ClientSettings;
  readonly #options: ReplicaOptions;
  readonly #probes: PostgresPool;
  /** The connections since it was last out of use: earlier ones may hang. */
  #snapshots: PostgresPool;
  /** The projects that it was behind in a moment ago. */
  readonly #behind = new LRUCache<string, true>({ max: MOST_BEHIND, ttl: BEHIND_MS });
  /** The last reported state. */
  #reported: ReplicaState = "used";
  /** The time of the last successful probe. */
  #usedTime = performance.now();
  /** The age of its last transaction at the last probe, in seconds; null: it has had none. */
  #age: number | null = null;
  /** The newest revision at the last probe. */
  #expected: ProjectRevision | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: ClientSettings, options: ReplicaOptions) {
    const { host, port } = new settings.Client(settings.toConfig());
    this.#name = `${host}:${port}`;
    this.#settings = settings;
    this.#options = options;
    this.#probes = new PostgresPool(settings, { name: "probe", most: 1, timeouts: TIMEOUTS });
    this.#snapshots = this.#connect();
  }

  get health(): ReplicaHealth {
    return { name: this.#name, state: this.state, lagSeconds: this.#lagSeconds };
  }

  /** Without writes its last transaction is old, although it lacks none; with many writes it always lags a little. */
  get #lagSeconds(): number {
    if (this.state === "used") return 0;
    const unused = (performance.now() - this.#usedTime) / 1_000;
    return this.state === "behind" ? Math.min(unused, this.#age ?? unused) : unused;
  }

  /** Reports whether it is usable and not known to be behind in the project, if one is given. */
  mayRead(projectId = ""): boolean {
    return this.state !== "unavailable" && !this.#behind.has(projectId);
  }

  /**
   * Reads in one snapshot that has at least the known revision of the project, if one is given. Undefined if it does
   * not, if the replica fails, or if it is too busy. Throws only errors that are a response, such as NOT_FOUND.
   */
  async read<T>(
    least: ProjectRevision | undefined,
    run: (tx: Tx) => Promise<T>,
  ): Promise<{ readonly value: T } | undefined> {
    const snapshots = this.#snapshots;
    this.reading += 1;
    try {
      return await snapshots.transaction(async (tx) => {
        const checking = tx.query(SELECT_STATE, [least?.projectId ?? null]);
        // Sent together with the check; both must end before the transaction.
        const [checked, read] = await Promise.allSettled([checking, run(tx)]);
        if (checked.status === "rejected") throw checked.reason;
        const [row] = checked.value.rows;
        if (!row.is_replica) throw new Error("the replica was promoted");
        if (least !== undefined && (row.revision ?? 0) < least.revision) {
          this.#behind.set(least.projectId, true);
          return undefined;
        }
        if (read.status === "rejected") throw read.reason;
        return { value: read.value };
      });
    } catch (error) {
      if (error instanceof DomainError && error.code !== Code.UNAVAILABLE) throw error;
      if (!isPoolBusy(error)) this.#leaveAlone(snapshots, error);
      return undefined;
    } finally {
      this.reading -= 1;
    }
  }

  /** Probes it, and again at intervals. */
  async probe(): Promise<void> {
    const snapshots = this.#snapshots;
    try {
      const state = await this.#findState();
      // Unless a read has failed during the probe.
      if (snapshots === this.#snapshots) this.#enter(state);
    } catch (error) {
      this.#leaveAlone(snapshots, error);
    }
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  /** Closes its connections, or abandons hanging ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const closing = Promise.all([this.#snapshots.close(), this.#probes.close()]);
    await Promise.race([closing, setDelay(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #findState(): Promise<ReplicaState> {
    const { databaseId, changes } = this.#options;
    const expected = this.#expected;
    this.#expected = changes.newest;
    const { rows } = await this.#probes.query(SELECT_STATE, [expected?.projectId ?? null]);
    const [{ is_replica, age, revision }] = rows;
    if (!is_replica) throw new Error("the replica was promoted");
    if (databaseId !== undefined && (await readDatabaseId(this.#probes)) !== databaseId) {
      throw new Error("the replica is a copy of another database");
    }
    this.#age = age;
    return expected !== undefined && (revision ?? 0) < expected.revision ? "behind" : "used";
  }

  /** Enters a state and reports it, with the reason if it is out of use. */
  #enter(state: ReplicaState, err?: unknown): void {
    if (this.#isClosed) return;
    this.state = state;
    if (state === "used") this.#usedTime = performance.now();
    const lag_seconds = this.#lagSeconds;
    if (state === this.#reported || (state === "behind" && lag_seconds < REPORTED_LAG)) return;
    this.#reported = state;
    const replica = this.#name;
    const { log } = this.#options;
    if (state === "used") log?.warn({ replica }, "replica is used again");
    else if (state === "behind") log?.warn({ replica, lag_seconds }, "replica is behind");
    else log?.warn({ replica, err }, "replica is taken out of use");
  }

  #leaveAlone(snapshots: PostgresPool, reason: unknown): void {
    // Other reads have failed on the same connections.
    if (snapshots !== this.#snapshots || this.#isClosed) return;
    this.#enter("unavailable", reason);
    this.#snapshots = this.#connect();
    snapshots.close().catch(() => {});
  }

  #connect(): PostgresPool {
    return new PostgresPool(this.#settings, {
      name: "replica",
      begin: BEGIN_READ,
      most: 10,
      timeouts: TIMEOUTS,
      session: { statement_timeout: String(TIMEOUT_MS) },
    });
  }
}

/** The states of a replica that serves reads, from the best. */
const STATES: readonly ReplicaState[] = ["used", "behind"];

/** The replicas of a database. */
export class Replicas {
  readonly #replicas: readonly Replica[];
  readonly #changes: ChangeWatch;
  #turn = 0;

  private constructor(replicas: readonly Replica[], changes: ChangeWatch) {
    this.#replicas = replicas;
    this.#changes = changes;
  }

  /** Opens replicas; a replica that does not respond is used once it does. */
  static async open(
    locations: readonly PostgresLocation[],
    options: ReplicaOptions,
  ): Promise<Replicas> {
    const replicas = locations.map((location) => new Replica(readSettings(location), options));
    await Promise.all(replicas.map((replica) => replica.probe()));
    return new Replicas(replicas, options.changes);
  }

  /** The state of the best one. */
  get state(): ReplicaState {
    const best = STATES.find((state) => this.#replicas.some((it) => it.state === state));
    return best ?? "unavailable";
  }

  /** Lists all of them with the state of their last probe. */
  list(): readonly ReplicaHealth[] {
    return this.#replicas.map(({ health }) => health);
  }

  /** Returns the reads of replicas, with the primary where no replica can respond. */
  over(primary: DeliveryReads): DeliveryReads {
    const changes = this.#changes;
    const collections = createCollections(changes);
    const connections = { changes, dialect: POSTGRES_DIALECT };
    const storesOf = (tx: Tx) => new SqlStores({ ...inside(connections, tx), collections });
    const run = async <T>(
      { projectId }: { readonly projectId: string },
      toRead: (reads: DeliveryReads) => Promise<T>,
    ): Promise<T> => {
      const revision = changes.knownRevision(projectId);
      if (revision === undefined) return toRead(primary);
      const replica = this.#choose(projectId);
      const read = await replica?.read({ projectId, revision }, (tx) => toRead(storesOf(tx)));
      return read === undefined ? toRead(primary) : read.value;
    };
    const readContent = (name: "creativeWorks" | "entities" | "events"): ContentStore => ({
      get: (key) => run(key, (reads) => reads[name].get(key)),
      getMany: (key) => run(key, (reads) => reads[name].getMany(key)),
      list: (key) => run(key, (reads) => reads[name].list(key)),
      tally: (key) => run(key, (reads) => reads[name].tally(key)),
    });
    return {
      access: {
        findProjectKey: async (hash) => {
          const read = await this.#choose()?.read(undefined, (tx) =>
            storesOf(tx).access.findProjectKey(hash),
          );
          const key = read?.value;
          const known = key && changes.knownRevision(key.projectId);
          // A replica that is behind may lack that the key was deleted.
          const isCurrent = known !== undefined && key !== undefined && key.revision >= known;
          return isCurrent ? key : primary.access.findProjectKey(hash);
        },
      },
      annotations: { list: (key) => run(key, ({ annotations }) => annotations.list(key)) },
      creativeWorks: readContent("creativeWorks"),
      entities: readContent("entities"),
      events: readContent("events"),
      offers: {
        listOpening: (key) => run(key, ({ offers }) => offers.listOpening(key)),
      },
      pages: {
        get: (key, budget) => run(key, ({ pages }) => pages.get(key, budget)),
        getComponents: (key) => run(key, ({ pages }) => pages.getComponents(key)),
        list: (key) => run(key, ({ pages }) => pages.list(key)),
      },
      rulesets: {
        list: (projectId) => run({ projectId }, ({ rulesets }) => rulesets.list(projectId)),
      },
      visibleDocuments: {
        getMany: (kind, key) =>
          run(key, ({ visibleDocuments }) => visibleDocuments.getMany(kind, key)),
        list: (kind, key) => run(key, ({ visibleDocuments }) => visibleDocuments.list(kind, key)),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => replica.close()));
  }

  /** Chooses the least busy replica, for a project if one is given; equally busy ones take turns. */
  #choose(projectId?: string): Replica | undefined {
    this.#turn += 1;
    const able = this.#replicas.filter((replica) => replica.mayRead(projectId));
    const fewest = Math.min(...able.map(({ reading }) => reading));
    const free = able.filter(({ reading }) => reading === fewest);
    return free[this.#turn % free.length];
  }
}
