import type { Tx } from "../../db/db.ts";
import type { Condition, SqlText } from "../../db/sql-text.ts";

/** The SQL that differs between engines; the queries of this folder contain the rest. */
export interface Dialect {
  /** Joins the rows of an item, looked up for each row of the preceding query. */
  lookUp(join: ItemLookUp): SqlText;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: SqlText;
  /** Selects the first of equal rows of `columns`, if a sorted query does so faster than an insert ignores them. */
  distinct(columns: SqlText): SqlText;
  /** True where a column matches a pattern, given as the stored texts between its stars. It has at least one star. */
  matches(column: SqlText, parts: readonly string[]): Condition;
  /** True where the bytes of a column contain a text. */
  holdsText(column: string, text: string): SqlText<boolean>;
  /** Prints the index, from 0, of the text of a column in a column with a JSON array of texts. */
  indexIn(array: string, text: string): string;
  /** True where a column has one of many texts, which are hashed or sorted: time grows with the rows alone. */
  isListed(column: SqlText, texts: readonly string[]): Condition;
  /** Reserves numbers for new items that no other item has or can get concurrently. */
  nextItems(tx: Tx, count: number): Promise<readonly number[]>;
  /** Locks a project as a write does, without waiting; false if another transaction has locked it. */
  tryLockProject(tx: Tx, id: string): Promise<boolean>;
  /** Locks a name until the transaction ends, for data without a scope. */
  lockName(tx: Tx, name: string): Promise<void>;
  /** Ends a query of rows to write, so that it skips rows that another transaction is writing. */
  readonly skipLocked: SqlText;
  /** Reports whether a transaction failed due to a conflict, so that a retry may succeed. */
  isRetryable(error: unknown): boolean;
}

/** A join with a table by its item. */
export interface ItemLookUp {
  readonly table: "content" | "content_leaf";
  /** Default: the name of the table. */
  readonly as?: string;
  /** The item of the preceding row. */
  readonly item: SqlText;
  /** Narrows the rows by further columns of the key. */
  readonly where?: Condition | undefined;
  /** True to keep rows without a match. */
  readonly isLeft?: boolean;
}
