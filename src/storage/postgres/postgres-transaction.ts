import pg from "pg";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { ConnectionPool } from "../contract/connection-pool.ts";
import type { Tx } from "../db/db.ts";
import { compile, type Query } from "../db/query.ts";
import { isConnectionError, translateError } from "./errors.ts";
import { POSTGRES_COMPILER } from "./query-compiler.ts";

/** The SQLSTATEs that follow a failed statement: the rest, an unknown savepoint, and one that was not prepared. */
const CONSEQUENCES = ["25P02", "3B001", "26000"];

/** How the statements of a transaction are sent. */
export interface TransactionOptions {
  /** The time limit of a statement, in milliseconds; past it the connection is closed. */
  readonly timeoutMs: number;
  readonly metrics?: ConnectionPool;
  toQuery(text: string, values: readonly unknown[]): pg.QueryConfig;
}

/**
 * The open transaction of a connection. Statements are sent without waiting for the results of earlier ones. When one
 * fails, the server rejects the later ones, and they fail with the same error.
 */
export class PostgresTransaction implements Tx {
  readonly isTransaction = true;
  /** The time limit of each further statement, in milliseconds. */
  timeoutMs: number;
  readonly #client: pg.ClientBase;
  readonly #options: TransactionOptions;
  #isBroken = false;
  /** Why the server rejects further statements until the transaction, or a part of it, is rolled back. */
  #error: unknown;
  /** True if a caller that waited for its statement got the error. */
  #isReported = false;
  #parts = 0;

  constructor(client: pg.ClientBase, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
    this.timeoutMs = options.timeoutMs;
  }

  /** True if the connection can no longer be used. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  async all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    const { text, values } = compile(query, POSTGRES_COMPILER);
    const send = () => this.query(text, values);
    const { rows } = await (budget === undefined ? send() : budget.spend(send));
    return rows as Row[];
  }

  async run(query: Query): Promise<void> {
    const { text, values } = compile(query, POSTGRES_COMPILER);
    this.send(text, values);
  }

  /** Runs a part in a savepoint, because an error otherwise ends the whole transaction. */
  async transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    this.#parts += 1;
    const name = `part_${this.#parts}`;
    this.send(`savepoint ${name}`);
    try {
      const result = await run(this);
      this.send(`release ${name}`);
      return result;
    } catch (error) {
      this.#query(`rollback to ${name}`).then(
        () => {
          this.#error = undefined;
          this.#isReported = false;
        },
        () => {},
      );
      this.send(`release ${name}`);
      throw error;
    }
  }

  /** Runs a statement and waits for its result; without values it is not prepared. */
  async query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
    try {
      return await this.#query(text, values);
    } catch (error) {
      this.#isReported = true;
      throw error;
    }
  }

  /** Sends a statement without waiting for it; without values it is not prepared. */
  send(text: string, values?: readonly unknown[]): void {
    this.#query(text, values).catch(() => {});
  }

  /** Commits, and runs a statement with it. */
  async commit(last?: {
    readonly text: string;
    take(rows: readonly never[]): void;
  }): Promise<void> {
    const [changes, committed] = await Promise.all([
      last && this.query(last.text, []),
      this.query("commit"),
    ]);
    // The server's response to the commit of a failed transaction is a rollback without an error. A standby does not
    // begin the transaction, and then responds to its commit as if it had.
    if (committed.command !== "COMMIT" || this.#error !== undefined) throw this.#error;
    if (last !== undefined) last.take((changes?.rows ?? []) as never[]);
  }

  /**
   * Rolls back after an error and returns the cause. If a statement has failed and no caller waited for it, that is the
   * cause: the caller of a dry run must get it.
   */
  async rollback(error: unknown): Promise<unknown> {
    if (this.#isBroken) return error;
    await this.#query("rollback").catch(() => {
      this.#isBroken = true;
    });
    return this.#isReported ? error : (this.#error ?? error);
  }

  async #query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult> {
    const config = values === undefined ? { text } : this.#options.toQuery(text, values);
    const query = { ...config, query_timeout: this.timeoutMs };
    const start = performance.now();
    try {
      return await this.#client.query(query);
    } catch (error) {
      if (isConnectionError(error)) this.#isBroken = true;
      const isConsequence =
        error instanceof pg.DatabaseError && CONSEQUENCES.includes(error.code ?? "");
      if (!isConsequence || this.#error === undefined) this.#error = translateError(error);
      throw this.#error;
    } finally {
      this.#options.metrics?.count(text, start);
    }
  }
}

/** Returns a transaction as one of this engine. */
export function toPostgres(tx: Tx): PostgresTransaction {
  if (tx instanceof PostgresTransaction) return tx;
  throw new Error("a transaction of another engine");
}
