import type { Expression, Kysely, RawBuilder, Transaction } from "kysely";
import type { WriteScope } from "../write-scope.ts";
import type { createBulkInsert } from "./bulk-insert.ts";
import type { Condition } from "./content/filter/conditions.ts";
import type { Bound } from "./content/filter/form-values.ts";
import type { Schema } from "./schema.ts";

/** The SQL in which engines differ; the queries of this folder hold the rest. */
export interface Dialect {
  /** Joins two tables in the order in which they are written: `a ${forcedJoin} b on …`. */
  readonly forcedJoin: RawBuilder<unknown>;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: RawBuilder<unknown>;
  /** Reports whether INTERSECT reads two sorted queries side by side, rather than each to its end first. */
  readonly intersectsInOrder: boolean;
  /** Returns what `matches` binds for a pattern, given as the stored texts between its stars, of which it has one. */
  toPattern(parts: readonly string[]): readonly string[];
  /** Holds where a column matches a pattern of `toPattern`. */
  matches(column: Expression<unknown>, pattern: readonly Bound[]): Condition;
  /** Aggregates values into the text of a JSON array. */
  toJsonArray(values: readonly Expression<unknown>[]): RawBuilder<string>;
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
  /** Reports whether a transaction failed due to a conflict, so that a retry may succeed. */
  isRetryable(error: unknown): boolean;
}

/** The part of a collection that a search covers. */
export interface SearchScope {
  readonly collection: number;
  readonly visibility: number;
}

/** The full-text index of content, by item. */
export interface SearchIndex {
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
  /** Creates an insert of the words of new items. */
  insert(tx: Transaction<Schema>): SearchInsert;
  /** Removes items. */
  erase(tx: Transaction<Schema>, items: readonly number[]): Promise<void>;
}

/** Adds items to the index, which are written once `flush` has returned; many at once are written faster. */
export interface SearchInsert {
  /** Adds an item with its words, separated by spaces. */
  add(item: number, scope: SearchScope, words: string): void;
  flush(): Promise<void>;
}
