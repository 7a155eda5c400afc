import type Database from "better-sqlite3";
import type { Changes } from "../sql/connections.ts";
import { translateErrors } from "./errors.ts";

/** The interval at which changes by other connections are polled, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** The most projects whose revisions are cached. */
const MOST_PROJECTS = 10_000;

/** Detects changes: by this store immediately, by other connections at the next poll. */
export interface ChangeWatch extends Changes {
  /** Records that this store has committed a change. */
  bump(): void;
}

/**
 * Watches a database over a dedicated connection: one in the middle of a read would not see later changes. A
 * project's revision is read again, in a few microseconds, only after some change to the database.
 */
export function watchChanges(
  connection: Database.Database,
  now: () => number = () => performance.now(),
): ChangeWatch {
  const dataVersionStatement = connection.prepare<[], number>("PRAGMA data_version").pluck();
  const readDataVersion = () => translateErrors(() => dataVersionStatement.get());
  const revisionStatement = connection
    .prepare<[string], number>("SELECT change_count FROM project WHERE id = ?")
    .pluck();
  const revisions = new Map<string, { readonly version: number; readonly revision: number }>();
  let dataVersion = readDataVersion();
  let readTime = now();
  let version = 0;

  function accessVersion(): number {
    if (now() - readTime >= POLL_INTERVAL_MS) {
      readTime = now();
      const newest = readDataVersion();
      if (newest !== dataVersion) version += 1;
      dataVersion = newest;
    }
    return version;
  }

  return {
    // Counts every change, and so those of keys and roles.
    accessVersion,

    knownRevision(projectId) {
      const newest = accessVersion();
      const known = revisions.get(projectId);
      if (known?.version === newest) return known.revision;
      const revision = translateErrors(() => revisionStatement.get(projectId));
      if (revisions.size >= MOST_PROJECTS) revisions.clear();
      if (revision === undefined) revisions.delete(projectId);
      else revisions.set(projectId, { version: newest, revision });
      return revision;
    },

    bump() {
      version += 1;
      try {
        // The change is counted, so the next poll need not detect it.
        dataVersion = readDataVersion();
      } catch {
        // The commit succeeded; at worst it is counted twice.
      }
    },
  };
}
