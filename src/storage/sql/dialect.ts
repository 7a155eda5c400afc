import type { Expression, Kysely, RawBuilder, Transaction } from "kysely";
import type { WriteScope } from "../write-scope.ts";
import type { createBulkInsert } from "./bulk-insert.ts";
import type { Condition } from "./content/filter/conditions.ts";
import type { Bound } from "./content/filter/form-values.ts";
import type { Schema } from "./schema.ts";

/** The SQL in which engines differ; the queries of this folder hold the rest. */
export interface Dialect {
  /** Joins the rows of an item, which are looked up for each row of what is written before. */
  lookUp(join: ItemLookUp): RawBuilder<unknown>;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: RawBuilder<unknown>;
  /** Selects the first of equal rows of `columns` where a sorted query does so faster than an insert ignores them. */
  distinct(columns: RawBuilder<unknown>): RawBuilder<unknown>;
  /** Reports whether INTERSECT reads two sorted queries side by side, rather than each to its end first. */
  readonly intersectsInOrder: boolean;
  /**
   * Reports whether the planner may sort all rows of a range that it takes for few, although an index yields them in a
   * part of their order.
   */
  readonly sortsByEstimate: boolean;
  /** Reports whether to sort the items of one time within a query costs more than to read a few items more than once. */
  readonly readsBackwards: boolean;
  /** Selects the rows of a query for each of several values, at least one; the query may be limited. */
  forEach(
    values: readonly Bound[],
    query: (value: Expression<unknown>) => RawBuilder<unknown>,
  ): RawBuilder<unknown>;
  /** Returns what `matches` binds for a pattern, given as the stored texts between its stars, of which it has one. */
  toPattern(parts: readonly string[]): readonly string[];
  /** Holds where a column matches a pattern of `toPattern`. */
  matches(column: Expression<unknown>, pattern: readonly Bound[]): Condition;
  /** Aggregates values into the text of a JSON array. */
  toJsonArray(values: readonly Expression<unknown>[]): RawBuilder<string>;
  /** Returns, as a value of `toJsonArray`, the first of two that is not null; their types may differ. */
  firstInJson(value: Expression<unknown>, other: Expression<unknown>): RawBuilder<unknown>;
  readonly search: SearchIndex;
  /** Reserves numbers for new items that no other item has or can get concurrently. */
  nextItems(tx: Transaction<Schema>, count: number): Promise<readonly number[]>;
  /** Creates an insert of very many rows. */
  readonly bulk: typeof createBulkInsert;
  /**
   * Locks a scope until the transaction ends, waiting for transactions that have locked an overlapping one;
   * later statements see what those wrote.
   */
  lock(tx: Transaction<Schema>, scope: WriteScope): Promise<void>;
  /** Locks a project like `lock`, without waiting; false if another transaction has locked it. */
  tryLockProject(tx: Transaction<Schema>, id: string): Promise<boolean>;
  /** Locks a name that stands for what has no scope until the transaction ends. */
  lockName(tx: Transaction<Schema>, name: string): Promise<void>;
  /** Ends a subquery of rows to write, so that it skips those that another transaction is writing. */
  readonly skipLocked: RawBuilder<unknown>;
  /** Runs a part of a transaction so that its failure, if the caller bears it, undoes nothing before it. */
  nest<T>(tx: Transaction<Schema>, run: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
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

/** The part of a collection that a search covers. */
export interface SearchScope {
  readonly collection: number;
  readonly visibility: number;
}

/** The full-text index of content, by item. */
export interface SearchIndex {
  /** Reports whether matches are counted up to a limit without finding all of them first. */
  readonly countsInSteps: boolean;
  /**
   * Translates a search into a query of the index: every word must occur, longer ones also as a prefix.
   * Undefined if no item can match.
   */
  toQuery(db: Kysely<Schema>, words: readonly string[]): Promise<string | undefined>;
  /** Limits a query to a scope. */
  narrow(query: string, scope: SearchScope): string;
  /** Selects the matches of a query of `narrow` as `item`, with null as `sort_time` and `id`. */
  select(query: Bound): RawBuilder<unknown>;
  /** Holds for an item that matches a query of `toQuery`. */
  matches(query: Bound, item: Expression<unknown>): Condition;
  /** Creates an insert of the words of new items, for an engine with inserts of its own by `bulk`. */
  insert(tx: Transaction<Schema>, bulk: typeof createBulkInsert): SearchInsert;
  /** Removes items. */
  erase(tx: Transaction<Schema>, items: readonly number[]): Promise<void>;
}

/** Adds items to the index, which are written once `flush` has returned; many at once are written faster. */
export interface SearchInsert {
  /** Adds an item with its words, separated by spaces. */
  add(item: number, scope: SearchScope, words: string): void;
  /** Adds words of items, to which prefixes are expanded. */
  addWords(words: Iterable<string>): void;
  flush(): Promise<void>;
}
