import { setImmediate } from "node:timers/promises";
import type Database from "better-sqlite3";
import { SqliteQueryCompiler } from "kysely";
import { LRUCache } from "lru-cache";
import { databaseUnavailable } from "../../domain/base/errors.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ConnectionPool } from "../contract/connection-pool.ts";
import type { Db, Tx } from "../db/db.ts";
import { compile, type EngineCompiler, type Query } from "../db/query.ts";
import { toDomainError, translateErrors } from "./errors.ts";

/**
 * The characters of the prepared statements that a connection caches: every shape of filter has its own. A statement takes
 * about 30 bytes for each.
 */
const MOST_CHARACTERS = 2 * 1024 * 1024;

/** Maximum number of idle connections that are kept open for snapshots; others are closed after use. */
const MOST_IDLE = 8;

/** How long a transaction keeps other work of the process waiting before its next statement, in milliseconds. */
const SLICE_MS = 10;

/**
 * Writes each parameter as `+?`, so that SQLite keeps the plan of a prepared statement for all values. Its planner
 * looks at the value of a bare parameter in a LIMIT or an equality and then prepares the statement again for every
 * run. That takes ten times as long as a short query itself.
 */
class StablePlanCompiler extends SqliteQueryCompiler implements EngineCompiler {
  placeholderOf(): string {
    return "+?";
  }

  protected override getCurrentParameterPlaceholder(): string {
    return this.placeholderOf();
  }
}

/** Compiles queries for SQLite. */
export const SQLITE_COMPILER = new StablePlanCompiler();

/** A connection to a database file, which prepares each statement once, counts its time and translates errors. */
export class SqliteConnection {
  readonly database: Database.Database;
  readonly #pool: ConnectionPool | undefined;
  // With `max`, each connection would take the memory of all entries at once.
  readonly #statements = new LRUCache<string, Database.Statement>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, text) => text.length,
  });

  /** `pool` counts the statements; absent: not counted. */
  constructor(database: Database.Database, pool?: ConnectionPool) {
    this.database = database;
    this.#pool = pool;
  }

  /** Runs a query and returns its rows. */
  run<Row>(query: Query<Row>): Row[] {
    const { text, values } = compile(query, SQLITE_COMPILER);
    return this.runText(text, values) as Row[];
  }

  /** Runs a statement and returns its rows, or none if it only writes. */
  runText(text: string, values: readonly unknown[] = []): unknown[] {
    const statement = this.#prepare(text);
    const start = performance.now();
    try {
      if (statement.reader) return statement.all(...values);
      statement.run(...values);
      return [];
    } catch (error) {
      throw toDomainError(error);
    } finally {
      this.#pool?.count(text, start);
    }
  }

  /** Throws if SQLite has ended the transaction: another statement would be committed on its own. */
  checkTransaction(): void {
    if (!this.database.inTransaction) {
      throw databaseUnavailable(
        new Error("SQLite ended the transaction, for example because the disk is full"),
      );
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

/** The open transaction of a connection. Between statements it lets other work of the process run. */
export class SqliteTransaction implements Tx {
  readonly isTransaction = true;
  readonly #connection: SqliteConnection;
  #sliceStart = performance.now();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  async all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    await this.#letOthersRun();
    return runCounted(this.#open, query, budget);
  }

  async run(query: Query): Promise<void> {
    await this.#letOthersRun();
    this.#open.run(query);
  }

  async #letOthersRun(): Promise<void> {
    if (performance.now() - this.#sliceStart < SLICE_MS) return;
    await setImmediate();
    this.#sliceStart = performance.now();
  }

  /** The connection, unless another statement of the transaction has ended it. */
  get #open(): SqliteConnection {
    this.#connection.checkTransaction();
    return this.#connection;
  }

  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    this.#connection.checkTransaction();
    this.#connection.runText("savepoint part");
    try {
      const result = await run(this);
      this.#connection.checkTransaction();
      this.#connection.runText("release part");
      return result;
    } catch (error) {
      // SQLite may have ended the transaction because of it.
      if (!this.#connection.database.inTransaction) throw error;
      this.#connection.runText("rollback to part");
      this.#connection.runText("release part");
      throw error;
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
