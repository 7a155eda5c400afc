import { LRUCache } from "lru-cache";
import type { StateLog } from "../contract/connection-pool.ts";
import type { Changes } from "../contract/store.ts";
import { SHARE_OPEN } from "./migrate.ts";
import type { PostgresPool } from "./postgres-pool.ts";

/** The interval of polling for changes by others, in milliseconds. */
const POLL_INTERVAL_MS = 250;

/** The difference from the clock of the database that is reported, and one that has ended, in milliseconds. */
const CLOCK_DIFFERENCE = { reported: 5_000, ended: 2_500 };

/** A row that changed, and its change counter. */
interface ChangeRow {
  readonly kind: "access" | "deleted" | "project";
  readonly id: string;
  readonly count: number;
  /** The transaction of its last change of keys, credentials, roles or webhooks. */
  readonly xid: string;
  /** True if that change is among those selected. */
  readonly is_access: boolean;
}

/** A condition about a column with a transaction. */
type Condition = (column: string) => string;

/** Selects the last changes by the transactions that meet a condition, and of projects by those that meet a wider one. */
const selectChanges = (by: Condition, ofProjects = by) => `
  select 'project' as kind, id, change_count as count, access_xid::text as xid, ${by("access_xid")} as is_access
  from project where ${ofProjects("change_xid")}
  union all
  select 'deleted', id, change_count, change_xid::text, true
  from retired_counter where ${by("change_xid")} and type = 'project'
  union all
  select 'access', id, change_count, change_xid::text, true
  from organization where ${by("change_xid")}
  union all
  select 'access', id, change_count, change_xid::text, true
  from retired_counter where ${by("change_xid")} and type = 'organization'
  union all
  select 'access', id, 0, change_xid::text, true
  from viewer_token_key where ${by("change_xid")}
`;

/** Selects the changes of the own transaction. */
export const OWN_CHANGES = selectChanges(
  (column) => `${column} = pg_current_xact_id_if_assigned()`,
);

/** Returns the condition of the transactions that a snapshot does not see: later ones, and those that ran then. */
const since =
  (snapshot: string): Condition =>
  (column) =>
    `(${column} >= pg_snapshot_xmax(${snapshot}) or ${column} = any (array(select pg_snapshot_xip(${snapshot}))))`;

/** Selects the present snapshot. A standby lists no transactions that run, so its snapshot begins with the first of them. */
const SNAPSHOT = `
  case when pg_is_in_recovery() then format('%1$s:%1$s:', pg_snapshot_xmin(pg_current_snapshot()))
    else pg_current_snapshot()::text end as snapshot
`;

/** Selects the changes since a snapshot, and the present one; of projects the changes since another one. */
const CHANGES_SINCE = `
  select *
  from (
    select ${SNAPSHOT},
      extract(epoch from clock_timestamp())::float8 * 1000 as now,
      case when not pg_is_in_recovery() then current_timeline() end as timeline
  ) as once left join (${selectChanges(since("$1::pg_snapshot"), since("$2::pg_snapshot"))}) as changes on true
`;

/** Selects whether the server is a standby, which cannot be written. */
const SELECT_STANDBY = "select pg_is_in_recovery() as is_standby";

/** Selects the present snapshot. */
const SELECT_SNAPSHOT = `select ${SNAPSHOT}`;

/** A snapshot before all transactions. */
const ALL = "1:1:";

/** Returns the first transaction that ran at a snapshot. */
const firstOf = (snapshot: string) => BigInt(snapshot.split(":")[0] ?? "");

/** The maximum number of deleted projects whose counters are kept. */
const MOST_DELETED = 10_000;

/** The maximum number of projects whose last changes of keys and webhooks are known. */
const MOST_ACCESS = 10_000;

/** A row of {@link CHANGES_SINCE}; without changes there is one row without a change. */
interface PolledRow extends ChangeRow {
  readonly snapshot: string;
  /** The time of the database, in milliseconds since 1970. */
  readonly now: number;
  /** Null on a standby. */
  readonly timeline: number | null;
}

type PolledRows = readonly [PolledRow, ...PolledRow[]];

/**
 * Increments the counters of projects that were last counted on another timeline, because they may have been counted
 * further there. Returns the number of projects left, which other transactions are writing.
 */
const RENEW = `
  with stale as (
    select id from project where timeline <> current_timeline() for no key update skip locked
  ), renewed as (
    update project set change_count = change_count where id in (select id from stale) returning id
  )
  select count(*) as left from project
  where timeline <> current_timeline() and id not in (select id from renewed)
`;

/** The most rows of a table that get another transaction in one statement. */
const SETTLED_AT_ONCE = 2_000;

/**
 * Statements that give rows the present transaction if they have one that is yet to come, from the dump of another server: each
 * poll would select them. Rows that others are writing get another transaction anyway. They return the number of rows.
 */
const SETTLE = ["project", "organization", "retired_counter", "viewer_token_key"].map(
  (table) => `
  with settled as (
    update ${table} set change_xid = pg_current_xact_id()
      ${table === "project" ? ", access_xid = pg_current_xact_id()" : ""}
    where ctid in (
      select ctid from ${table} where change_xid >= pg_snapshot_xmax(pg_current_snapshot())
      limit ${SETTLED_AT_ONCE} for no key update skip locked
    )
    returning 1
  )
  select count(*) as settled from settled
`,
);

/** Runs {@link SETTLE} until no rows are left. */
async function settle(runner: Pick<PostgresPool, "query">): Promise<void> {
  for (const statement of SETTLE) {
    while ((await runner.query(statement, [])).rows[0].settled === SETTLED_AT_ONCE);
  }
}

/** Raises all counters by more than a restored earlier state of the database can lack. */
const RAISE = ["project", "organization"].map(
  (table) => `update ${table} set change_count = change_count + ${2 ** 24}`,
);

/** Selects the name of the database, and the id of its cluster. */
const SELECT_DATABASE =
  "select system_identifier || ' ' || current_database() as id from pg_control_system()";

/** Returns the id that a database and its replicas share; undefined if the user may not read it. */
export async function readDatabaseId(
  runner: Pick<PostgresPool, "query">,
): Promise<string | undefined> {
  const result = await runner.query(SELECT_DATABASE, []).catch(() => undefined);
  return result?.rows[0]?.id;
}

/** A project at a revision. */
export interface ProjectRevision {
  readonly projectId: string;
  readonly revision: number;
}

/** The identity of a database: another database may lack changes of this one. */
interface History {
  readonly databaseId: string | undefined;
  readonly timeline: number | null;
}

/**
 * Detects changes: changes by this store when they are noted, changes by others at the next poll. Reports when the
 * primary stops and starts responding. If the database turns out to be another one, or an earlier state of itself,
 * everything known is forgotten, and all projects get revisions that none had before.
 */
export class ChangeWatch implements Changes {
  readonly #runner: PostgresPool;
  readonly #log: StateLog | undefined;
  /** The change counters of all projects. */
  readonly #projects = new Map<string, number>();
  /** The same of projects that were deleted a moment ago: older news may follow. */
  readonly #deleted = new LRUCache<string, number>({ max: MOST_DELETED });
  #newest: ProjectRevision | undefined;
  #version = 0;
  /** The versions of the last changes of access of projects. */
  readonly #accessVersions = new Map<string, number>();
  /** The version of all other projects. */
  #oldestAccess = 0;
  #since = ALL;
  /** The changes of access that are counted, among those that the next poll may select. */
  #counted = new Set<string>();
  /** The same for the poll that runs. */
  #next = new Set<string>();
  #history: History | undefined;
  /** The connection that read `#history`. */
  #compared = 0;
  #running = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  /** The time of the first failed poll since the last successful one. */
  #lostTime: number | undefined;
  #clockDiffers = false;

  private constructor(runner: PostgresPool, log?: StateLog) {
    this.#runner = runner;
    this.#log = log;
  }

  /** Watches a database; returns when the state of all projects is known. */
  static async open(runner: PostgresPool, log?: StateLog): Promise<ChangeWatch> {
    const watch = new ChangeWatch(runner, log);
    const isStandby = (await runner.query(SELECT_STANDBY, [])).rows[0].is_standby;
    if (!isStandby) await settle(runner);
    // Without earlier deletions, which may be very many.
    watch.#since = (await runner.query(SELECT_SNAPSHOT, [])).rows[0].snapshot;
    await watch.catchUp();
    watch.#schedule();
    return watch;
  }

  /** The newest known revision; undefined if its project is deleted, or there is none. */
  get newest(): ProjectRevision | undefined {
    return this.#newest;
  }

  accessVersion(projectId?: string): number {
    if (projectId === undefined) return this.#version;
    return this.#accessVersions.get(projectId) ?? this.#oldestAccess;
  }

  knownRevision(projectId: string): number | undefined {
    return this.#projects.get(projectId);
  }

  /**
   * Polls once for all callers that wait while another poll runs, because that poll may have begun before their
   * changes.
   */
  catchUp(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      const polling = this.#poll();
      this.#running = polling.catch(() => {});
      return polling;
    });
    return this.#waiting;
  }

  /** Notes changes that this store has committed. */
  note(rows: readonly ChangeRow[]): void {
    const changed = new Set<string>();
    for (const row of rows) {
      const { kind, id, count, xid } = row;
      const key = `${kind} ${id} ${xid}`;
      if (row.is_access) {
        // Before it is added: unless a poll runs, both sets are the same.
        if (!this.#counted.has(key)) changed.add(id);
        this.#next.add(key);
        this.#counted.add(key);
      }
      if (kind === "access") continue;
      const known = this.#projects.get(id) ?? this.#deleted.get(id);
      const isDeleted = kind === "deleted";
      const isNews = known === undefined || count > known;
      if (!isNews && !(isDeleted && count === known)) continue;
      this.#projects.delete(id);
      this.#deleted.delete(id);
      (isDeleted ? this.#deleted : this.#projects).set(id, count);
      this.#newest = isDeleted ? undefined : { projectId: id, revision: count };
    }
    if (changed.size === 0) return;
    this.#version += 1;
    for (const id of changed) this.#accessVersions.set(id, this.#version);
    if (this.#accessVersions.size > MOST_ACCESS) this.#forgetAccess();
  }

  /** Lets all projects have the version of now. */
  #forgetAccess(): void {
    this.#accessVersions.clear();
    this.#oldestAccess = this.#version;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      try {
        await this.catchUp();
        if (this.#lostTime !== undefined) {
          const away_ms = Math.round(performance.now() - this.#lostTime);
          this.#log?.warn({ away_ms }, "primary database responds again");
        }
        this.#lostTime = undefined;
      } catch (cause) {
        // The last known state stays, and the next poll finds the missed changes.
        if (this.#lostTime === undefined && !this.#isClosed) {
          this.#log?.warn({ err: cause }, "primary database does not respond");
          this.#lostTime = performance.now();
        }
      }
      if (!this.#isClosed) this.#schedule();
    }, POLL_INTERVAL_MS).unref();
  }

  /** Selects the changes since the last poll, and of projects since a snapshot. */
  async #select(ofProjects = this.#since): Promise<PolledRows> {
    const { rows } = await this.#runner.query(CHANGES_SINCE, [this.#since, ofProjects]);
    return rows as [PolledRow, ...PolledRow[]];
  }

  async #poll(): Promise<void> {
    this.#next = new Set();
    const sent = Date.now();
    const rows = await this.#select();
    const [{ snapshot, timeline, now }] = rows;
    this.#compareClocks(now, sent, Date.now());
    const isSame = this.#runner.opened === this.#compared && timeline === this.#history?.timeline;
    if (isSame && firstOf(snapshot) >= firstOf(this.#since)) this.#take(rows);
    else await this.#compare();
  }

  /** Reports when the clock of the process begins to differ from the time of the database, and when it no longer does. */
  #compareClocks(now: number, sent: number, received: number): void {
    const ahead = Math.max(sent - now, 0) + Math.min(received - now, 0);
    const most = this.#clockDiffers ? CLOCK_DIFFERENCE.ended : CLOCK_DIFFERENCE.reported;
    const differs = Math.abs(ahead) > most;
    if (differs === this.#clockDiffers) return;
    this.#clockDiffers = differs;
    const text = differs
      ? "clock differs from the clock of the database"
      : "clock agrees with the clock of the database again";
    this.#log?.warn({ ahead_seconds: Math.round(ahead / 1_000) }, text);
  }

  /** Notes the changes found by a poll. */
  #take(rows: PolledRows): void {
    this.#since = rows[0].snapshot;
    this.note(rows.filter(({ kind }) => kind !== null));
    this.#counted = this.#next;
  }

  /** Compares the database with the known state, over a connection that may lead to another database. */
  async #compare(): Promise<void> {
    const runner = this.#runner;
    // A copy, because this store may commit during the comparison.
    const known = new Map(this.#projects);
    if (runner.keepsSession) await runner.query(SHARE_OPEN);
    const databaseId = await readDatabaseId(runner);
    const rows = await this.#select(ALL);
    const connection = runner.opened;
    const [{ timeline, snapshot }] = rows;
    const history: History = { databaseId, timeline };
    const change = this.#findChange(known, rows, history);
    if (change === "lost" || change === "database")
      for (const statement of RAISE) await runner.query(statement, []);
    const left = timeline === null ? 0 : (await runner.query(RENEW, [])).rows[0].left;
    const renewed = await this.#select(snapshot);
    if (change !== undefined) {
      this.#log?.warn(
        { change, before: this.#history, after: history },
        "database history changed, all caches dropped",
      );
      for (const [id, count] of known) {
        if (this.#projects.get(id) === count) this.#projects.delete(id);
      }
      this.#deleted.clear();
      this.#newest = undefined;
      this.#version += 1;
      this.#forgetAccess();
    }
    this.#take(rows);
    this.#take(renewed);
    this.#history = history;
    if (left === 0) this.#compared = connection;
  }

  /** Finds how a database differs from the known one, except for changes; undefined if it does not. */
  #findChange(
    known: ReadonlyMap<string, number>,
    rows: PolledRows,
    { databaseId, timeline }: History,
  ): "database" | "lost" | "timeline" | undefined {
    const before = this.#history;
    if (before === undefined) return undefined;
    if (timeline !== before.timeline) return "timeline";
    if (firstOf(rows[0].snapshot) < firstOf(this.#since)) return "lost";
    const counts = new Map<string, number>();
    for (const { kind, id, count } of rows) {
      if (kind !== "access") counts.set(id, Math.max(count, counts.get(id) ?? 0));
    }
    for (const [id, count] of known) if ((counts.get(id) ?? 0) < count) return "lost";
    const isKnown = databaseId !== undefined && before.databaseId !== undefined;
    return isKnown && databaseId !== before.databaseId ? "database" : undefined;
  }
}
