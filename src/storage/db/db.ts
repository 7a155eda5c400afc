import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { Query } from "./query.ts";

/** Runs queries: each on its own, or all within the transaction that the object represents. */
export interface Db {
  /**
   * Runs a query and returns its rows. With a budget, its time is charged to it, except the wait for a connection.
   * The query may then be ended when the caller of the request no longer waits.
   */
  all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]>;
  /**
   * Runs queries in a transaction that is rolled back if `run` fails. Within a transaction it is a part of it: if the
   * caller catches its failure, earlier writes stay. Those that wait for a connection take turns by their owner, such as a
   * project.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, owner?: string): Promise<T>;
}

/** A transaction; its queries see earlier writes in it. */
export interface Tx extends Db {
  readonly isTransaction: true;
  /**
   * Runs a query without a result. An engine may send it without waiting: its failure then fails the next query that is
   * waited for, or the transaction.
   */
  run(query: Query): Promise<void>;
}

/** Returns the first row of a result that always has one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("the query returned no row");
  return row;
}
