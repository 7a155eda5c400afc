import type { WorkBudget } from "../../domain/work-budget.ts";
import type { Query } from "./query.ts";

/** Runs queries: each on its own, or all within the transaction that the object stands for. */
export interface Db {
  /**
   * Runs a query and returns its rows. With a budget, its time is charged to it, except the wait for a connection, and
   * the query may be ended when the caller of the request no longer waits.
   */
  all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]>;
  /** Runs a query and returns its first row; undefined if there is none. */
  first<Row>(query: Query<Row>): Promise<Row | undefined>;
  /**
   * Runs a query whose result nobody needs. Within a transaction an engine may send it without waiting: its failure
   * then ends the next query that is waited for, or the transaction.
   */
  run(query: Query): Promise<void>;
  /**
   * Runs queries in a transaction that is rolled back if `run` fails. Within a transaction it is a part whose failure,
   * if the caller bears it, undoes nothing before it.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
}

/** A transaction, in which queries see what those before them wrote. */
export interface Tx extends Db {
  readonly isTransaction: true;
}

/** Returns the first row of a result that always has one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("the query returned no row");
  return row;
}
