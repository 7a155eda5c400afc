import { setTimeout } from "node:timers/promises";
import type Database from "better-sqlite3";
import { SqliteQueryCompiler } from "kysely";
import { LRUCache } from "lru-cache";
import { databaseUnavailable } from "../../domain/errors.ts";
import type { WorkBudget } from "../../domain/work-budget.ts";
import { ConnectionPool, type PoolState } from "../connection-pool.ts";
import type { Db, Tx } from "../db/db.ts";
import { GroupCommit } from "../db/group-commit.ts";
import { compile, type Query } from "../db/query.ts";
import { isShort } from "../sql/in-transaction.ts";
import type { WriteScope } from "../write-scope.ts";
import type { ChangeWatch } from "./change-watch.ts";
import { isBusy, toDomainError, translateErrors } from "./errors.ts";

/** The most prepared statements that a connection caches: every shape of filter has its own. */
const MOST_STATEMENTS = 500;

/** The most idle connections that are kept open for snapshots; others are closed after use. */
const MOST_IDLE = 8;

/**
 * The longest pause between two attempts to take the write lock, in milliseconds: with longer ones, a process
 * among busy others waits for seconds.
 */
const LONGEST_PAUSE_MS = 2;

/**
 * Makes SQLite keep the plan of a prepared statement whatever it is run with, by writing each parameter as `+?`.
 * Its planner looks at the value of a bare parameter in a LIMIT or an equality and then prepares the statement
 * again for every run, which takes ten times as long as a short query itself.
 */
class StablePlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

/** Compiles queries for SQLite. */
export const SQLITE_COMPILER = new StablePlanCompiler();

/** A connection to a database file, which prepares each statement once, counts its time and translates errors. */
export class SqliteConnection {
  readonly database: Database.Database;
  readonly #pool: ConnectionPool | undefined;
  readonly #statements = new LRUCache<string, Database.Statement>({ max: MOST_STATEMENTS });

  /** `pool` counts the statements; default: nobody. */
  constructor(database: Database.Database, pool?: ConnectionPool) {
    this.database = database;
    this.#pool = pool;
  }

  /** Runs a query and returns its rows. */
  run<Row>(query: Query<Row>): Row[] {
    const { text, values } = compile(query, SQLITE_COMPILER);
    return this.runText(text, values) as Row[];
  }

  /** Runs a statement and returns its rows; none of one that only writes. */
  runText(text: string, values: readonly unknown[] = []): unknown[] {
    const statement = this.#prepare(text);
    const start = performance.now();
    try {
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return [];
    } catch (fault) {
      throw toDomainError(fault);
    } finally {
      this.#pool?.count(text, start);
    }
  }

  /** Throws if SQLite has ended the transaction: another statement would be committed on its own. */
  checkTransaction(): void {
    if (!this.database.inTransaction) {
      throw databaseUnavailable(new Error("SQLite ended the transaction, as on a full disk"));
    }
  }

  #prepare(text: string): Database.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = translateErrors(() => this.database.prepare(text));
    this.#statements.set(text, statement);
    return statement;
  }
}

/** The open transaction of a connection. */
export class SqliteTransaction implements Tx {
  readonly isTransaction = true;
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    this.#connection.checkTransaction();
    return runCounted(this.#connection, query, budget);
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    this.#connection.checkTransaction();
    return this.#connection.run(query)[0];
  }

  async run(query: Query): Promise<void> {
    this.#connection.checkTransaction();
    this.#connection.run(query);
  }

  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    this.#connection.checkTransaction();
    this.#connection.runText("savepoint part");
    try {
      const result = await run(this);
      this.#connection.checkTransaction();
      this.#connection.runText("release part");
      return result;
    } catch (fault) {
      this.#connection.checkTransaction();
      this.#connection.runText("rollback to part");
      this.#connection.runText("release part");
      throw fault;
    }
  }
}

function runCounted<Row>(
  connection: SqliteConnection,
  query: Query<Row>,
  budget: WorkBudget | undefined,
): Row[] {
  return budget === undefined ? connection.run(query) : budget.count(() => connection.run(query));
}

/** Reads a database file: single queries on one connection, and each transaction on a connection of its own. */
export class SqliteReader implements Db {
  readonly queries: ConnectionPool;
  readonly snapshots: ConnectionPool;
  readonly #connection: SqliteConnection;
  readonly #open: () => SqliteConnection;
  readonly #idle: SqliteConnection[] = [];
  #inUse = 0;

  /** `open` opens a connection that only reads. */
  constructor(open: () => Database.Database) {
    this.queries = new ConnectionPool("read", () => ({ inUse: 0, idle: 1, waiting: 0, most: 1 }));
    this.snapshots = new ConnectionPool("snapshot", () => ({
      inUse: this.#inUse,
      idle: this.#idle.length,
      waiting: 0,
    }));
    this.#connection = new SqliteConnection(open(), this.queries);
    this.#open = () => new SqliteConnection(open(), this.snapshots);
  }

  async all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    return runCounted(this.#connection, query, budget);
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return this.#connection.run(query)[0];
  }

  async run(query: Query): Promise<void> {
    this.#connection.run(query);
  }

  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? this.#open();
    this.#inUse += 1;
    try {
      connection.runText("begin");
      return await run(new SqliteTransaction(connection));
    } finally {
      this.#inUse -= 1;
      if (connection.database.inTransaction) connection.runText("rollback");
      if (this.#idle.length < MOST_IDLE) this.#idle.push(connection);
      else connection.database.close();
    }
  }
}

/** What a {@link SqliteWriter} is made of. */
export interface WriterOptions {
  /** Its name in metrics. */
  readonly name: string;
  /** The time that a transaction waits for that of another process, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Learns of each commit; absent: none does. */
  readonly changes?: Pick<ChangeWatch, "bump">;
  /** Counts those who wait; default: the transactions that wait for their turn. */
  readonly countWaiting?: () => number;
}

/** Writes a database file: one transaction at a time, in the order in which they are asked for. */
export class SqliteWriter implements Db {
  readonly pool: ConnectionPool;
  readonly #connection: SqliteConnection;
  readonly #options: WriterOptions;
  readonly #groups = new GroupCommit({ write: this });
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  constructor(database: Database.Database, options: WriterOptions) {
    this.#options = options;
    this.pool = new ConnectionPool(options.name, () => this.#state);
    this.#connection = new SqliteConnection(database, this.pool);
  }

  all<Row>(query: Query<Row>): Promise<Row[]> {
    return this.transaction((tx) => tx.all(query));
  }

  first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return this.transaction((tx) => tx.first(query));
  }

  run(query: Query): Promise<void> {
    return this.transaction((tx) => tx.run(query));
  }

  /** Runs a transaction with its scope; short ones that wait are committed as a group. */
  write<T>(scope: WriteScope, run: (tx: Tx) => Promise<T>): Promise<T> {
    return isShort(scope) ? this.#groups.run(run) : this.transaction(run);
  }

  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
      const next = this.#waiting.shift();
      if (next === undefined) this.#isTaken = false;
      else next();
    }
  }

  get #state(): PoolState {
    const inUse = this.#isTaken ? 1 : 0;
    const waiting = this.#options.countWaiting?.() ?? this.#waiting.length;
    return { inUse, idle: 1 - inUse, waiting, most: 1 };
  }

  /**
   * Begins a transaction with the write lock, so that none fails because another process wrote in between.
   * Between attempts it yields to the event loop: SQLite's own busy wait would block every read and timer, and
   * deadlock with a writer of the same process.
   */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeoutMs;
    for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        this.#connection.runText("begin immediate");
        return;
      } catch (fault) {
        if (!isBusy(fault) || performance.now() >= deadline) throw fault;
      }
      await setTimeout(pause);
    }
  }
}
