import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { databaseUnavailable } from "../../domain/base/errors.ts";
import type { RunSenders } from "../sql/base/connections.ts";
import { translateErrors } from "./errors.ts";

/** A process that sends runs, and its locked file. */
interface Sender {
  readonly id: string;
  readonly file: string;
  readonly lock: Database.Database;
}

/**
 * The processes that send runs of a database file. Each keeps an empty file next to it locked, `<path>-sender-<id>`. The
 * operating system releases the lock when the process ends, however it ends, and in any container. An id of a process would
 * not do: other processes get it again.
 */
export class SqliteRunSenders implements RunSenders {
  readonly #path: string;
  #own: Sender | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  get id(): string {
    return this.#own?.id ?? "";
  }

  join(): void {
    this.#own ??= createSender(this.#prefix);
  }

  async forEnded(release: (id: string) => Promise<void>): Promise<void> {
    const folder = dirname(this.#prefix);
    const start = basename(this.#prefix);
    const names = translateErrors(() => readdirSync(folder)).filter((it) => it.startsWith(start));
    for (const name of names) {
      const id = name.slice(start.length);
      const file = join(folder, name);
      const lock = id === this.id ? undefined : tryLock(file);
      if (lock === undefined) continue;
      try {
        await release(id);
        translateErrors(() => rmSync(file, { force: true }));
      } finally {
        lock.close();
      }
    }
  }

  /** Deletes the file of this process. */
  close(): void {
    if (this.#own === undefined) return;
    rmSync(this.#own.file, { force: true });
    this.#own.lock.close();
    this.#own = undefined;
  }

  /** SQLite, too, keeps its files where a link leads. */
  get #prefix(): string {
    return `${realpathSync(this.#path)}-sender-`;
  }
}

function createSender(prefix: string): Sender {
  const id = randomUUID();
  const file = `${prefix}${id}`;
  const lock = tryLock(file);
  // Another process may have locked the file before this one, and deleted it.
  if (lock !== undefined && existsSync(file)) return { id, file, lock };
  lock?.close();
  throw databaseUnavailable(new Error(`${file} cannot be locked`));
}

/** Locks a file, created if missing; undefined if it cannot be locked, as while another connection has it locked. */
function tryLock(file: string): Database.Database | undefined {
  const database = translateErrors(() => new Database(file, { timeout: 0 }));
  try {
    // A journal of its own would be another file.
    database.pragma("journal_mode = MEMORY");
    database.exec("begin exclusive");
    return database;
  } catch {
    database.close();
    return undefined;
  }
}
