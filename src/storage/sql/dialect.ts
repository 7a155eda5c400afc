import type { Expression, RawBuilder } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Condition } from "./content/filter/conditions.ts";
import type { Bound } from "./content/filter/form-values.ts";

/** The SQL in which engines differ; the queries of this folder hold the rest. */
export interface Dialect {
  /** Joins the rows of an item, which are looked up for each row of what is written before. */
  lookUp(join: ItemLookUp): RawBuilder<unknown>;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: RawBuilder<unknown>;
  /** Selects the first of equal rows of `columns` where a sorted query does so faster than an insert ignores them. */
  distinct(columns: RawBuilder<unknown>): RawBuilder<unknown>;
  /**
   * Reports whether the planner may sort all rows of a range that it takes for few, although an index yields them in a
   * part of their order.
   */
  readonly sortsByEstimate: boolean;
  /** Selects the rows of a query for each of several values, at least one; the query may be limited. */
  forEach(
    values: readonly Bound[],
    query: (value: Expression<unknown>) => RawBuilder<unknown>,
  ): RawBuilder<unknown>;
  /** Returns what `matches` binds for a pattern, given as the stored texts between its stars, of which it has one. */
  toPattern(parts: readonly string[]): string;
  /** Holds where a column matches a pattern of `toPattern`. */
  matches(column: Expression<unknown>, pattern: Bound): Condition;
  /** Holds where the bytes of a column contain a text. */
  holdsText(column: Expression<unknown>, text: string): RawBuilder<boolean>;
  /** Aggregates values into the text of a JSON array. */
  toJsonArray(values: readonly Expression<unknown>[]): RawBuilder<string>;
  /** Returns, as a value of `toJsonArray`, the first of two that is not null; their types may differ. */
  firstInJson(value: Expression<unknown>, other: Expression<unknown>): RawBuilder<unknown>;
  /** Reserves numbers for new items that no other item has or can get concurrently. */
  nextItems(tx: Tx, count: number): Promise<readonly number[]>;
  /** Locks a project as a write does, without waiting; false if another transaction has locked it. */
  tryLockProject(tx: Tx, id: string): Promise<boolean>;
  /** Locks a name that stands for what has no scope until the transaction ends. */
  lockName(tx: Tx, name: string): Promise<void>;
  /** Ends a subquery of rows to write, so that it skips those that another transaction is writing. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Reports whether a transaction failed due to a conflict, so that a retry may succeed. */
  isRetryable(error: unknown): boolean;
}

/** A join with a table by its item. */
export interface ItemLookUp {
  readonly table: "content" | "content_leaf";
  /** Default: the name of the table. */
  readonly as?: string;
  /** The item of the row before. */
  readonly item: RawBuilder<unknown>;
  /** True if rows without any stay. */
  readonly isLeft?: boolean;
}
