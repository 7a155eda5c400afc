import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { type Condition, isOneOf } from "../filter/conditions.ts";
import type { Bound, Slot } from "../filter/form-values.ts";
import { findPath, findPathsAtOrBelow } from "../filter/kql-leaf.ts";
import { isWithin, type TimeBounds } from "../filter/time-bounds.ts";
import type { TimeColumn } from "../indexed-fields.ts";

/** The collection of the list. */
export const COLLECTION: Expression<unknown> = sql`${{ slot: "collection" } satisfies Slot}`;

/** The query of the full-text index. */
export const SEARCH: Slot = { slot: "search" };

/** The visibility of the partition. */
export const VISIBILITY: Slot = { slot: "visibility" };
const PARTITION_SEARCH: Slot = { slot: "partitionSearch" };

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
  /** All posting lists at or below a path. */
  | { readonly kind: "path"; readonly path: string }
  /** Items by id, or by a time column, in `content`. */
  | { readonly kind: "ids"; readonly ids: readonly Bound[] }
  | { readonly kind: "times"; readonly column: TimeColumn; readonly bounds: TimeBounds<Bound> }
  /** Items that match the query of the full-text index. */
  | { readonly kind: "words" };

/** The posting lists of some values of one path. */
export type PostingLists = Extract<IndexRange, { kind: "values" }>;

/**
 * Writes a range as a query of `item`, `sort_time` and `id`, the last two null from the full-text index.
 * An item may occur several times.
 */
export function selectRange(range: IndexRange, dialect: Dialect): RawBuilder<unknown> {
  switch (range.kind) {
    case "words":
      return dialect.search.select(PARTITION_SEARCH);
    case "values":
      return selectFrom("content_value", inPostingLists(range));
    case "range": {
      const within = sql<SqlBool>`source.value between ${range.from} and ${range.to}`;
      return selectFrom("content_value", [...onPath(range.path), within]);
    }
    case "path":
      return selectFrom("content_value", [
        sql<SqlBool>`source.path in (${findPathsAtOrBelow(range.path, { collection: COLLECTION, dialect })})`,
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

/** Hold for rows of `content`, as `source`, in the partition. */
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
