import type Database from "better-sqlite3";
import { LRUCache } from "lru-cache";
import type { Changes } from "../contract/store.ts";
import { translateErrors } from "./errors.ts";

/** The interval of polling for changes by other connections, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** Maximum number of projects with cached revisions. */
const MOST_PROJECTS = 10_000;

/** The name of the stored changes of keys, credentials, roles and webhooks. */
const ACCESS = "";

/** The last change of a project; it has no revision if it is deleted. */
interface ChangeRow {
  readonly number: number;
  readonly project_id: string;
  readonly revision: number | null;
}

/**
 * Detects changes: by this store immediately, by other connections at the next poll. It has a connection of its own,
 * because a connection in the middle of a read would not see later changes. A poll reads the changed projects only,
 * so a change of one project costs the readers of others nothing.
 */
export class ChangeWatch implements Changes {
  readonly #now: () => number;
  readonly #dataVersionStatement: Database.Statement<[], number>;
  readonly #changesStatement: Database.Statement<[number], ChangeRow>;
  readonly #revisionStatement: Database.Statement<[string], number>;
  /** The revisions of projects that callers asked for. */
  // With `max`, the cache would take the memory of all entries at once.
  readonly #revisions = new LRUCache<string, number>({
    maxSize: MOST_PROJECTS,
    sizeCalculation: () => 1,
  });
  #dataVersion: number | undefined;
  #lastChange: number;
  #version = 0;
  #pollTime = Number.NEGATIVE_INFINITY;

  constructor(connection: Database.Database, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#dataVersionStatement = connection.prepare<[], number>("PRAGMA data_version").pluck();
    this.#changesStatement = connection.prepare(
      "SELECT number, project_id, revision FROM change WHERE number > ? ORDER BY number",
    );
    this.#revisionStatement = connection
      .prepare<[string], number>("SELECT change_count FROM project WHERE id = ?")
      .pluck();
    const last = connection.prepare<[], number>("SELECT max(number) FROM change").pluck();
    this.#lastChange = last.get() ?? 0;
  }

  accessVersion(): number {
    const current = this.#look(() => this.#version);
    if (current !== undefined) return current;
    // Unknown is not current: nothing cached under an earlier version may be used.
    this.#version += 1;
    return this.#version;
  }

  knownRevision(projectId: string): number | undefined {
    return this.#look(() => this.#findRevision(projectId));
  }

  async catchUp(): Promise<void> {
    translateErrors(() => this.#poll());
  }

  /** Notes that this store has committed: the next look polls. */
  bump(): void {
    this.#pollTime = Number.NEGATIVE_INFINITY;
  }

  #poll(): void {
    const time = this.#now();
    // Until it succeeds, nothing counts as current.
    this.#pollTime = Number.NEGATIVE_INFINITY;
    const newest = this.#dataVersionStatement.get();
    if (newest !== this.#dataVersion) {
      for (const { number, project_id, revision } of this.#changesStatement.all(this.#lastChange)) {
        this.#lastChange = number;
        if (project_id === ACCESS) this.#version += 1;
        else if (revision === null) this.#revisions.delete(project_id);
        else if (this.#revisions.has(project_id)) this.#revisions.set(project_id, revision);
      }
      this.#dataVersion = newest;
    }
    this.#pollTime = time;
  }

  /**
   * Returns the result of a look at the database; undefined if it fails, because the callers cannot handle the error.
   */
  #look<T>(read: () => T): T | undefined {
    try {
      if (this.#now() - this.#pollTime >= POLL_INTERVAL_MS) this.#poll();
      return read();
    } catch {
      return undefined;
    }
  }

  #findRevision(projectId: string): number | undefined {
    const known = this.#revisions.get(projectId);
    if (known !== undefined) return known;
    const revision = this.#revisionStatement.get(projectId);
    if (revision === undefined) return undefined;
    this.#revisions.set(projectId, revision);
    // The known version of access must not be older.
    this.#poll();
    return this.#revisions.get(projectId);
  }
}
