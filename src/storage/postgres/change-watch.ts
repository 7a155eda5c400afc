import type { Changes } from "../sql/connections.ts";
import type { StatementRunner } from "./pipelined-connections.ts";

/** The interval at which changes by others are polled, in milliseconds. */
const POLL_INTERVAL_MS = 250;

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

/** Selects what the transactions of a condition changed last. */
const selectChanges = (by: string) => `
  select 'project' as kind, id, change_count as count, access_xid::text as xid, access_xid ${by} as is_access
  from project where change_xid ${by}
  union all
  select 'deleted', id, change_count, change_xid::text, true
  from retired_counter where change_xid ${by} and type = 'project'
  union all
  select 'access', id, change_count, change_xid::text, true
  from organization where change_xid ${by}
  union all
  select 'access', id, change_count, change_xid::text, true
  from retired_counter where change_xid ${by} and type = 'organization'
  union all
  select 'access', id, 0, change_xid::text, true
  from viewer_token_key where change_xid ${by}
`;

/** Selects the changes of the own transaction. */
export const OWN_CHANGES = selectChanges("= pg_current_xact_id_if_assigned()");

/**
 * Selects the changes since a snapshot, given as the least transaction that ran then, and the same of now. Those
 * of transactions that ran for longer than a poll are selected several times.
 */
const CHANGES_SINCE = `
  select *, pg_snapshot_xmin(pg_current_snapshot())::text as xmin
  from (select) as once left join (${selectChanges(">= $1::xid8")}) as changes on true
`;

/** Detects changes: those of this store when they are noted, those of others at the next poll. */
export interface ChangeWatch extends Changes {
  /** Notes changes that this store has committed. */
  note(rows: readonly ChangeRow[]): void;
  /** The revision that was learned last; undefined if its project is deleted, or there is none. */
  readonly newest: ProjectRevision | undefined;
  close(): void;
}

/** A project at a revision. */
export interface ProjectRevision {
  readonly projectId: string;
  readonly revision: number;
}

/** The last known change of a project; the counter of a deleted one is kept, as older news may follow. */
interface KnownProject {
  readonly count: number;
  readonly isDeleted: boolean;
}

/** Watches a database by polls; returns when the state of all projects is known. */
export async function watchChanges(runner: StatementRunner): Promise<ChangeWatch> {
  const projects = new Map<string, KnownProject>();
  let newest: ProjectRevision | undefined;
  let version = 0;
  let since = "0";
  /** The changes of access that are counted, among those that the next poll may select. */
  let counted = new Set<string>();
  /** The same of the poll that runs. */
  let next = new Set<string>();

  function note(rows: readonly ChangeRow[]): void {
    let isAccess = false;
    for (const row of rows) {
      const { kind, id, count, xid } = row;
      const key = `${kind} ${id} ${xid}`;
      if (row.is_access) {
        // Before it is added: unless a poll runs, both sets are the same.
        if (!counted.has(key)) isAccess = true;
        next.add(key);
        counted.add(key);
      }
      if (kind === "access") continue;
      const known = projects.get(id);
      const isDeleted = kind === "deleted";
      const isNews = known === undefined || count > known.count;
      if (!isNews && !(isDeleted && count === known.count)) continue;
      projects.set(id, { count, isDeleted });
      newest = isDeleted ? undefined : { projectId: id, revision: count };
    }
    if (isAccess) version += 1;
  }

  async function poll(): Promise<void> {
    next = new Set();
    const { rows } = await runner.run(CHANGES_SINCE, [since]);
    since = rows[0].xmin;
    note(rows.filter(({ kind }) => kind !== null));
    counted = next;
  }

  let running = Promise.resolve();
  let waiting: Promise<void> | undefined;

  /** Polls once for all who ask while another poll runs, which may have begun before the changes they want. */
  function catchUp(): Promise<void> {
    waiting ??= running.then(() => {
      waiting = undefined;
      const own = poll();
      running = own.catch(() => {});
      return own;
    });
    return waiting;
  }

  await catchUp();
  let isClosed = false;
  let timer: NodeJS.Timeout;
  const schedule = () => {
    timer = setTimeout(async () => {
      // Without the database, what was known last stays known, and the next poll finds what was missed.
      await catchUp().catch(() => {});
      if (!isClosed) schedule();
    }, POLL_INTERVAL_MS).unref();
  };
  schedule();

  return {
    note,
    get newest() {
      return newest;
    },
    catchUp,
    accessVersion: () => version,
    knownRevision(projectId) {
      const known = projects.get(projectId);
      return known?.isDeleted === false ? known.count : undefined;
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
