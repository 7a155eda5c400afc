import type Database from "better-sqlite3";
import type { Changes } from "../sql/connections.ts";
import { translateErrors } from "./errors.ts";

/** How long changes by other connections may go unseen, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** How many projects' revisions are remembered. */
const MOST_PROJECTS = 10_000;

/** Knows of changes: of this store's at once, of any other connection's a little later. */
export interface ChangeWatch extends Changes {
  /** Says that this store has committed a change. */
  bump(): void;
}

/**
 * Watches a database over a connection that does nothing else: one in the middle of a read would not
 * see what happened since the read began. A project's revision is read again only after a change of
 * anything, which takes some microseconds.
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
    // Of anything, and so of keys and roles, too.
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
        // The change is counted: the next look need not find it again.
        dataVersion = readDataVersion();
      } catch {
        // It was committed all the same, and is counted twice at worst.
      }
    },
  };
}
