import { setTimeout } from "node:timers/promises";
import { CompiledQuery, type DatabaseConnection, type Driver, type SqliteDatabase } from "kysely";
import { databaseUnavailable } from "../../domain/errors.ts";
import { isBusy } from "./errors.ts";
import { type ConnectionQueue, SingleConnectionDriver } from "./single-connection.ts";
import { StablePlanDialect } from "./stable-plan-dialect.ts";

/**
 * The longest pause between two attempts to take the write lock, in milliseconds: with longer ones, a process
 * among busy others waits for seconds.
 */
const LONGEST_PAUSE_MS = 2;

/** What a writing connection is made of. */
export interface WriterOptions {
  readonly database: SqliteDatabase;
  readonly queue: ConnectionQueue;
  readonly transaction: OpenTransaction;
  /** The time that a transaction waits for that of another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  readonly onCommit: () => void;
}

/** The dialect of the writing connection. */
export class WriterDialect extends StablePlanDialect {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    super(options);
    this.#options = options;
  }

  override createDriver(): Driver {
    return new WriterDriver(this.#options);
  }
}

/** The transaction of the writing connection, which SQLite itself ends if, for instance, the disk is full. */
export class OpenTransaction {
  readonly #connection: { readonly inTransaction: boolean };
  isOpen = false;

  constructor(connection: { readonly inTransaction: boolean }) {
    this.#connection = connection;
  }

  get isLost(): boolean {
    return this.isOpen && !this.#connection.inTransaction;
  }

  /** Throws if SQLite has ended the transaction: another statement would be committed on its own. */
  check(): void {
    if (this.isLost)
      throw databaseUnavailable(new Error("SQLite ended the transaction, as on a full disk"));
  }
}

/**
 * Begins transactions with the write lock, so that none fails because another process wrote in between.
 * Between attempts it yields to the event loop: SQLite's own busy wait would block every read and timer, and
 * deadlock with a writer of the same process.
 */
class WriterDriver extends SingleConnectionDriver {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    super({ database: options.database }, options.queue);
    this.#options = options;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection);
    this.#options.transaction.isOpen = false;
    this.#options.onCommit();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    const { transaction } = this.#options;
    const { isLost } = transaction;
    transaction.isOpen = false;
    if (!isLost) await super.rollbackTransaction(connection);
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const { busyTimeoutMs, transaction } = this.#options;
    const deadline = performance.now() + busyTimeoutMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        await connection.executeQuery(CompiledQuery.raw("begin immediate"));
        transaction.isOpen = true;
        return;
      } catch (fault) {
        if (!isBusy(fault) || performance.now() >= deadline) throw fault;
      }
      await setTimeout(pause);
    }
  }
}
