import { setTimeout } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type SqliteDatabase,
  SqliteDriver,
} from "kysely";
import { isBusy } from "./errors.ts";
import { StablePlanDialect } from "./stable-plan-dialect.ts";

/**
 * The longest pause between two attempts to take the write lock, in milliseconds: with longer ones, a process
 * among busy others waits for seconds.
 */
const LONGEST_PAUSE_MS = 2;

/** The dialect of the writing connection. */
export class WriterDialect extends StablePlanDialect {
  readonly #database: SqliteDatabase;
  readonly #busyTimeoutMs: number;
  readonly #onCommit: () => void;

  constructor(database: SqliteDatabase, busyTimeoutMs: number, onCommit: () => void) {
    super({ database });
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onCommit = onCommit;
  }

  override createDriver(): Driver {
    return new WriterDriver(this.#database, this.#busyTimeoutMs, this.#onCommit);
  }
}

/**
 * Begins transactions with the write lock, so that none fails because another process wrote in between.
 * Between attempts it yields to the event loop: SQLite's own busy wait would block every read and timer, and
 * deadlock with a writer of the same process.
 */
class WriterDriver extends SqliteDriver {
  readonly #busyTimeoutMs: number;
  readonly #onCommit: () => void;

  constructor(database: SqliteDatabase, busyTimeoutMs: number, onCommit: () => void) {
    super({ database });
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onCommit = onCommit;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#onCommit();
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const deadline = performance.now() + this.#busyTimeoutMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await connection.executeQuery(CompiledQuery.raw("begin immediate"));
        return;
      } catch (fault) {
        if (!isBusy(fault) || performance.now() >= deadline) throw fault;
      }
      await setTimeout(pause);
    }
  }
}
