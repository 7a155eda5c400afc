import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { type Condition, isOneOf } from "../filter/conditions.ts";
import type { WordForm } from "../filter/filter-form.ts";
import type { Bound, Slot } from "../filter/form-values.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { isWithin, type TimeBounds } from "../filter/time-bounds.ts";
import type { TimeColumn } from "../indexed-fields.ts";

/** The collection of the list. */
export const COLLECTION: Expression<unknown> = sql`${{ slot: "collection" } satisfies Slot}`;

/** The visibility of the partition. */
export const VISIBILITY: Slot = { slot: "visibility" };

/** A part of one index that a statement can read by itself; both ends of a range are inclusive. */
export type IndexRange =
  /** The posting lists of values of one path, in `content_value`. */
  | { readonly kind: "values"; readonly path: string; readonly values: readonly Bound[] }
  | {
      readonly kind: "range";
      readonly path: string;
      readonly from: Bound;
      readonly to: Bound;
    }
  /** All posting lists of paths, by their numbers; at least one. */
  | { readonly kind: "paths"; readonly paths: readonly Bound[] }
  /** Items by id, or by a time column, in `content`. */
  | { readonly kind: "ids"; readonly ids: readonly Bound[] }
  | { readonly kind: "times"; readonly column: TimeColumn; readonly bounds: TimeBounds<Bound> }
  /** Items with a word of a range, in `content_word`. */
  | WordRange;

type WordRange = { readonly kind: "word" } & WordForm;

/** The posting lists of some values of one path. */
export type PostingLists = Extract<IndexRange, { kind: "values" }>;

/**
 * Writes a range as a query of `item`, and of `sort_time` and `id` unless it is of words. An item may occur several
 * times.
 */
export function selectRange(range: IndexRange): RawBuilder<unknown> {
  switch (range.kind) {
    case "word": {
      const conditions = [...IN_PARTITION, isInWordRange("source", range)];
      return sql`select item from content_word as source where ${sql.join(conditions, sql` and `)}`;
    }
    case "values":
      return selectFrom("content_value", inPostingLists(range));
    case "range": {
      const within = sql<SqlBool>`source.value between ${range.from} and ${range.to}`;
      return selectFrom("content_value", [...onPath(range.path), within]);
    }
    case "paths":
      return selectFrom("content_value", [
        isOneOf(sql`source.path`, range.paths),
        sql<SqlBool>`source.visibility = ${VISIBILITY}`,
      ]);
    case "ids": {
      const among = isOneOf(sql`source.id`, range.ids);
      return selectFrom("content", [...IN_PARTITION, among]);
    }
    case "times": {
      const within = isWithin(sql.raw(`source.${range.column}`), range.bounds);
      return selectFrom("content", [...IN_PARTITION, ...within]);
    }
    default:
      return range satisfies never;
  }
}

/** Hold for rows of `content` or `content_word`, as `source`, in the partition. */
export const IN_PARTITION: readonly Condition[] = [
  sql<SqlBool>`source.collection = ${COLLECTION}`,
  sql<SqlBool>`source.visibility = ${VISIBILITY}`,
];

/** The posting lists of one path and of values that may be columns. */
export interface PostingSource {
  readonly path: string;
  readonly values: readonly (Bound | Expression<unknown>)[];
}

/** Holds for rows of `content_value`, as `source`, in the posting lists. */
export function inPostingLists({ path, values }: PostingSource): readonly Condition[] {
  return [...onPath(path), isOneOf(sql`source.value`, values)];
}

/** Holds for an item, as `source`, that has an entry in one of the posting lists. */
export function hasPosting({ path, values }: PostingLists, dialect: Dialect): Condition {
  const conditions = [
    sql<SqlBool>`posting.path = ${findPath(path, COLLECTION)}`,
    sql<SqlBool>`posting.visibility = ${VISIBILITY}`,
    isOneOf(sql`posting.value`, values),
    sql<SqlBool>`posting.sort_time = source.sort_time`,
    sql<SqlBool>`posting.id = source.id`,
  ];
  return sql<SqlBool>`exists (select 1 from content_value as posting where ${sql.join(conditions, sql` and `)} ${dialect.fence})`;
}

/** Holds for an item, as `source`, that has a word of a range. */
export function hasWord(range: WordForm, dialect: Dialect): Condition {
  return sql<SqlBool>`exists (select 1 from content_word as own where own.item = source.item and ${isInWordRange("own", range)} ${dialect.fence})`;
}

function isInWordRange(table: string, { from, end }: WordForm): Condition {
  const word = sql.raw(`${table}.word`);
  return sql<SqlBool>`${word} >= ${from} and ${word} < ${end}`;
}

/** Hold for rows of `content_value`, as `source`, of one path. */
export function onPath(path: string): readonly Condition[] {
  return [
    sql<SqlBool>`source.path = ${findPath(path, COLLECTION)}`,
    sql<SqlBool>`source.visibility = ${VISIBILITY}`,
  ];
}

function selectFrom(table: string, conditions: readonly Condition[]): RawBuilder<unknown> {
  return sql`select item, sort_time, id from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)}`;
}
