import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { type Condition, isOneOf } from "../filter/conditions.ts";
import { findPath, findPathsAtOrBelow } from "../filter/kql-leaf.ts";
import type { LeafKey } from "../filter/leaf-key.ts";
import type { TimeColumn } from "../indexed-fields.ts";
import { isWithin, type TimeBounds } from "./time-bounds.ts";

/** A collection's items of one visibility, the unit of a list statement. */
export interface Partition {
  readonly collection: number;
  readonly visibility: number;
}

/** A part of one index that a statement can read by itself; both ends of a range are inclusive. */
export type IndexRange =
  /** The posting lists of values of one path, in `content_value`. */
  | { readonly kind: "values"; readonly path: string; readonly values: readonly LeafKey[] }
  | {
      readonly kind: "range";
      readonly path: string;
      readonly from: LeafKey;
      readonly to: LeafKey;
    }
  /** All posting lists at or below a path. */
  | { readonly kind: "path"; readonly path: string }
  /** Items by id, or by a time column, in `content`. */
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  | { readonly kind: "times"; readonly column: TimeColumn; readonly bounds: TimeBounds }
  /** Items that match a query of the full-text index. */
  | { readonly kind: "words"; readonly match: string };

/** The posting lists of some values of one path. */
export type PostingLists = Extract<IndexRange, { kind: "values" }>;

/**
 * Writes a range as a query of `item`, `sort_time` and `id`, the last two null from the full-text index.
 * An item may occur several times.
 */
export function selectRange(
  range: IndexRange,
  partition: Partition & { readonly dialect: Dialect },
): RawBuilder<unknown> {
  const { collection, visibility, dialect } = partition;
  switch (range.kind) {
    case "words":
      return dialect.search.select(range.match, partition);
    case "values":
      return selectFrom("content_value", inPostingLists(range, partition));
    case "range": {
      const within = sql<SqlBool>`source.value between ${range.from} and ${range.to}`;
      return selectFrom("content_value", [...onPath(range.path, partition), within]);
    }
    case "path":
      return selectFrom("content_value", [
        sql<SqlBool>`source.path in (${findPathsAtOrBelow(range.path, { collection: sql.lit(collection), dialect })})`,
        sql<SqlBool>`source.visibility = ${visibility}`,
      ]);
    case "ids": {
      const among = isOneOf(sql`source.id`, range.ids);
      return selectFrom("content", [...inPartition(partition), among]);
    }
    case "times": {
      const within = isWithin(sql.raw(`source.${range.column}`), range.bounds);
      return selectFrom("content", [...inPartition(partition), ...within]);
    }
    default:
      return range satisfies never;
  }
}

/** Holds for rows of `content`, as `source`, in a partition. */
export function inPartition({ collection, visibility }: Partition): readonly Condition[] {
  return [
    sql<SqlBool>`source.collection = ${collection}`,
    sql<SqlBool>`source.visibility = ${visibility}`,
  ];
}

/** Holds for rows of `content_value`, as `source`, in the posting lists. */
export function inPostingLists(
  { path, values }: PostingLists,
  partition: Partition,
): readonly Condition[] {
  return [...onPath(path, partition), isOneOf(sql`source.value`, values)];
}

/** Holds for an item, as `source`, that has an entry in one of the posting lists. */
export function hasPosting(
  { path, values }: PostingLists,
  { dialect, ...partition }: Partition & { readonly dialect: Dialect },
): Condition {
  const conditions = [
    sql<SqlBool>`posting.path = ${findPath(path, sql.lit(partition.collection))}`,
    sql<SqlBool>`posting.visibility = ${partition.visibility}`,
    isOneOf(sql`posting.value`, values),
    sql<SqlBool>`posting.sort_time = source.sort_time`,
    sql<SqlBool>`posting.id = source.id`,
  ];
  return sql<SqlBool>`exists (select 1 from content_value as posting where ${sql.join(conditions, sql` and `)} ${dialect.fence})`;
}

function onPath(path: string, { collection, visibility }: Partition): readonly Condition[] {
  return [
    sql<SqlBool>`source.path = ${findPath(path, sql.lit(collection))}`,
    sql<SqlBool>`source.visibility = ${visibility}`,
  ];
}

function selectFrom(table: string, conditions: readonly Condition[]): RawBuilder<unknown> {
  return sql`select item, sort_time, id from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)}`;
}
