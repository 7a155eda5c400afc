import type Database from "better-sqlite3";
import { LRUCache } from "lru-cache";
import type { Changes } from "../changes.ts";
import { translateErrors } from "./errors.ts";

/** The interval at which changes by other connections are polled, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** The most projects whose revisions are cached. */
const MOST_PROJECTS = 10_000;

/** The name under which the changes of keys, credentials, roles and webhooks are stored. */
const ACCESS = "";

/** Detects changes: by this store immediately, by other connections at the next poll. */
export interface ChangeWatch extends Changes {
  /** Notes that this store has committed: the next look polls. */
  bump(): void;
}

/** The last change of a project; it has no revision if it is deleted. */
interface ChangeRow {
  readonly number: number;
  readonly project_id: string;
  readonly revision: number | null;
}

/**
 * Watches a database over a dedicated connection: one in the middle of a read would not see later changes. A
 * poll reads what has changed, so a change of one project costs the readers of others nothing.
 */
export function watchChanges(
  connection: Database.Database,
  now: () => number = () => performance.now(),
): ChangeWatch {
  const dataVersionStatement = connection.prepare<[], number>("PRAGMA data_version").pluck();
  const changesStatement = connection.prepare<[number], ChangeRow>(
    "SELECT number, project_id, revision FROM change WHERE number > ? ORDER BY number",
  );
  const revisionStatement = connection
    .prepare<[string], number>("SELECT change_count FROM project WHERE id = ?")
    .pluck();
  /** The revisions of projects that were asked for. */
  const revisions = new LRUCache<string, number>({ max: MOST_PROJECTS });
  let dataVersion: number | undefined;
  let lastChange =
    connection.prepare<[], number>("SELECT max(number) FROM change").pluck().get() ?? 0;
  let version = 0;
  let pollTime = Number.NEGATIVE_INFINITY;

  function poll(): void {
    const time = now();
    // Until it succeeds, nothing is known to be current.
    pollTime = Number.NEGATIVE_INFINITY;
    const newest = dataVersionStatement.get();
    if (newest !== dataVersion) {
      for (const { number, project_id, revision } of changesStatement.all(lastChange)) {
        lastChange = number;
        if (project_id === ACCESS) version += 1;
        else if (revision === null) revisions.delete(project_id);
        else if (revisions.has(project_id)) revisions.set(project_id, revision);
      }
      dataVersion = newest;
    }
    pollTime = time;
  }

  /** Returns what a look at the database finds; undefined if it fails: callers have nobody to tell. */
  function look<T>(read: () => T): T | undefined {
    try {
      if (now() - pollTime >= POLL_INTERVAL_MS) poll();
      return read();
    } catch {
      return undefined;
    }
  }

  function findRevision(projectId: string): number | undefined {
    const known = revisions.get(projectId);
    if (known !== undefined) return known;
    const revision = revisionStatement.get(projectId);
    if (revision === undefined) return undefined;
    revisions.set(projectId, revision);
    return revision;
  }

  return {
    accessVersion() {
      const current = look(() => version);
      if (current !== undefined) return current;
      // Unknown is not current: nothing that is cached under an earlier version may be used.
      version += 1;
      return version;
    },

    knownRevision: (projectId) => look(() => findRevision(projectId)),

    async catchUp() {
      translateErrors(poll);
    },

    bump() {
      pollTime = Number.NEGATIVE_INFINITY;
    },
  };
}
