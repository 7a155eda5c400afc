import type { Tx } from "../db/db.ts";
import type { Condition, SqlText } from "../db/sql-text.ts";

/** The SQL in which engines differ; the queries of this folder hold the rest. */
export interface Dialect {
  /** Joins the rows of an item, which are looked up for each row of what is written before. */
  lookUp(join: ItemLookUp): SqlText;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: SqlText;
  /** Selects the first of equal rows of `columns` where a sorted query does so faster than an insert ignores them. */
  distinct(columns: SqlText): SqlText;
  /** Holds where a column matches a pattern, given as the stored texts between its stars, of which it has one. */
  matches(column: SqlText, parts: readonly string[]): Condition;
  /** Holds where the bytes of a column contain a text. */
  holdsText(column: string, text: string): SqlText<boolean>;
  /** Reserves numbers for new items that no other item has or can get concurrently. */
  nextItems(tx: Tx, count: number): Promise<readonly number[]>;
  /** Locks a project as a write does, without waiting; false if another transaction has locked it. */
  tryLockProject(tx: Tx, id: string): Promise<boolean>;
  /** Locks a name that stands for what has no scope until the transaction ends. */
  lockName(tx: Tx, name: string): Promise<void>;
  /** Ends a subquery of rows to write, so that it skips those that another transaction is writing. */
  readonly skipLocked: SqlText;
  /** Reports whether a transaction failed due to a conflict, so that a retry may succeed. */
  isRetryable(error: unknown): boolean;
}

/** A join with a table by its item. */
export interface ItemLookUp {
  readonly table: "content" | "content_leaf";
  /** Default: the name of the table. */
  readonly as?: string;
  /** The item of the row before. */
  readonly item: SqlText;
  /** True if rows without any stay. */
  readonly isLeft?: boolean;
}
