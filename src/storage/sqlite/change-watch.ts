import type Database from "better-sqlite3";
import { translateErrors } from "./errors.ts";

/** How long changes by other connections may go unseen, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** Tells that something changed: by this store at once, by any other connection a little later. */
export interface ChangeWatch {
  /** Another number after every change. */
  version(): number;
  /** Says that this store has committed a change. */
  bump(): void;
}

/**
 * Watches a database over a connection that does nothing else: one in the middle of a read would not
 * see what happened since the read began.
 */
export function watchChanges(
  connection: Database.Database,
  now: () => number = () => performance.now(),
): ChangeWatch {
  const statement = connection.prepare<[], number>("PRAGMA data_version").pluck();
  const readDataVersion = () => translateErrors(() => statement.get());
  let dataVersion = readDataVersion();
  let readTime = now();
  let version = 0;
  return {
    version() {
      if (now() - readTime >= POLL_INTERVAL_MS) {
        readTime = now();
        const newest = readDataVersion();
        if (newest !== dataVersion) version += 1;
        dataVersion = newest;
      }
      return version;
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
