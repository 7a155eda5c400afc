import type { Expression, Kysely, RawBuilder, Transaction } from "kysely";
import type { WriteScope } from "../write-scope.ts";
import type { createBulkInsert } from "./bulk-insert.ts";
import type { Condition } from "./content/filter/conditions.ts";
import type { Schema } from "./schema.ts";

/** What engines say differently. The queries of this folder hold the SQL that they have in common. */
export interface Dialect {
  /** Joins two tables in the order in which they are written: `a ${forcedJoin} b on …`. */
  readonly forcedJoin: RawBuilder<unknown>;
  /** Ends a subquery that the planner must not merge with the query around it. */
  readonly fence: RawBuilder<unknown>;
  /** Holds where a column matches a pattern, given as the stored texts between its stars, of which it has one. */
  matches(column: Expression<unknown>, parts: readonly string[]): Condition;
  /** Gathers values into the text of a JSON array. */
  toJsonArray(values: readonly Expression<unknown>[]): RawBuilder<string>;
  readonly search: SearchIndex;
  /** Reserves numbers for new items: none that another item has, or gets meanwhile. */
  nextItems(tx: Transaction<Schema>, count: number): Promise<readonly number[]>;
  /** Creates an insert of very many rows. */
  readonly bulk: typeof createBulkInsert;
  /**
   * Locks a scope until the transaction ends, after every transaction that has locked a part of it; the
   * statements that follow see what those wrote.
   */
  lock(tx: Transaction<Schema>, scope: WriteScope): Promise<void>;
  /** Tells whether a transaction failed because of others, so that it may succeed when tried again. */
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
   * Writes a search as a query of the index: every word must occur, longer ones also as the beginning of
   * another. Undefined if no item can match.
   */
  toQuery(db: Kysely<Schema>, words: readonly string[]): Promise<string | undefined>;
  /** Selects what matches a query in a scope as `item`, with null as `sort_time` and `id`. */
  select(query: string, scope: SearchScope): RawBuilder<unknown>;
  /** Holds for an item that matches a query. */
  matches(query: string, item: Expression<unknown>): Condition;
  /** Creates what adds the words of new items. */
  insert(tx: Transaction<Schema>): SearchInsert;
  /** Removes items. */
  erase(tx: Transaction<Schema>, items: readonly number[]): Promise<void>;
}

/** Adds to the index. What is added is written when `flush` has returned. */
export interface SearchInsert {
  /** Adds an item with its words, which spaces separate. */
  add(item: number, scope: SearchScope, words: string): void;
  flush(): Promise<void>;
}
