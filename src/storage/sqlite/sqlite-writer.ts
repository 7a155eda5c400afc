import { setTimeout } from "node:timers/promises";
import type Database from "better-sqlite3";
import { TurnQueue } from "../../domain/base/turn-queue.ts";
import { ConnectionPool, type PoolState } from "../contract/connection-pool.ts";
import { ownerOf, type WriteScope } from "../contract/write-scope.ts";
import type { Db, Tx } from "../db/db.ts";
import { GroupCommit } from "../db/group-commit.ts";
import type { Query } from "../db/query.ts";
import { isShort } from "../sql/base/in-transaction.ts";
import type { ChangeWatch } from "./change-watch.ts";
import { isBusy } from "./errors.ts";
import { SqliteConnection, SqliteTransaction } from "./sqlite-db.ts";

/**
 * Maximum pause between two attempts to take the write lock, in milliseconds: with longer pauses, a process among
 * busy others waits for seconds.
 */
const LONGEST_PAUSE_MS = 2;

/** The options of a {@link SqliteWriter}. */
export interface WriterOptions {
  /** Its name in metrics. */
  readonly name: string;
  /** How long a transaction waits for a transaction of another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Receives each commit; absent: no receiver. */
  readonly changes?: Pick<ChangeWatch, "bump">;
  /** Counts the waiting writes; default: the transactions that wait for their turn. */
  readonly countWaiting?: () => number;
}

/** Writes a database file: one transaction at a time. The owners of those that wait take turns, and so do the groups. */
export class SqliteWriter implements Db {
  readonly pool: ConnectionPool;
  readonly #connection: SqliteConnection;
  readonly #options: WriterOptions;
  readonly #groups = new GroupCommit({ write: this });
  readonly #waiting = new TurnQueue<() => void>();
  #isTaken = false;

  constructor(database: Database.Database, options: WriterOptions) {
    this.#options = options;
    this.pool = new ConnectionPool(options.name, () => this.#state);
    this.#connection = new SqliteConnection(database, this.pool);
  }

  all<Row>(query: Query<Row>): Promise<Row[]> {
    return this.transaction((tx) => tx.all(query));
  }

  /** Runs a transaction with its scope; short ones that wait are committed as a group. */
  write<T>(scope: WriteScope, run: (tx: Tx) => Promise<T>): Promise<T> {
    const owner = ownerOf(scope);
    return isShort(scope) ? this.#groups.run(run, owner) : this.transaction(run, owner);
  }

  async transaction<T>(run: (tx: Tx) => Promise<T>, owner = ""): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.add(owner, resolve));
    this.#isTaken = true;
    try {
      await this.#begin();
      const result = await run(new SqliteTransaction(this.#connection));
      this.#connection.checkTransaction();
      this.#connection.runText("commit");
      this.#options.changes?.bump();
      return result;
    } finally {
      if (this.#connection.database.inTransaction) this.#connection.runText("rollback");
      const next = this.#waiting.take();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }

  get #state(): PoolState {
    const inUse = this.#isTaken ? 1 : 0;
    const waiting = this.#options.countWaiting?.() ?? this.#waiting.size;
    return { inUse, idle: 1 - inUse, waiting, most: 1 };
  }

  /**
   * Begins a transaction with the write lock, so that no transaction fails because another process wrote in between.
   * Between attempts it yields to the event loop. SQLite's own busy wait would block every read and timer, and
   * deadlock with a writer of the same process.
   */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        this.#connection.runText("begin immediate");
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw error;
      }
      await setTimeout(pause);
    }
  }
}
