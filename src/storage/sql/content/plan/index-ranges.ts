import { allOf, type Condition, isOneOf, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import type { Dialect } from "../../base/dialect.ts";
import { selectPath } from "../index/collections.ts";

/** The items of a collection with one visibility. */
export interface Partition {
  readonly dialect: Dialect;
  readonly collection: number;
  readonly visibility: number;
  /** The conditions of open windows, which cost less than any clause; none if the collection has no windows. */
  readonly open: readonly Condition[];
}

/** A part of one index that a statement can read by itself. */
export type IndexRange = PostingLists | WordRange | RowRange;

/** The posting lists of values of one path, at least one. */
export interface PostingLists {
  readonly kind: "values";
  readonly path: string;
  readonly values: readonly string[];
}

/** Items with a word from `from` to before `end`. */
export interface WordRange {
  readonly kind: "word";
  readonly from: string;
  readonly end: string;
}

/** The rows of a table, named `source`, that meet conditions. */
export interface RowRange {
  readonly kind: "rows";
  readonly table: "content" | "content_value";
  readonly conditions: readonly Condition[];
  /** The values that the rows have, both ends inclusive, if all are of one path. */
  readonly span?: { readonly path: string; readonly from: string; readonly to: string };
}

/** Lists the columns of `content` and of posting lists that lists sort by, and the columns of windows if they are tested. */
export function listColumns({ open }: Partition): SqlText {
  return raw(open.length === 0 ? SORTED : `${SORTED}, ${OPEN}`);
}

const SORTED = "source.item as item, source.sort_time as sort_time, source.id as id";
const OPEN = "source.open_from as open_from, source.open_until as open_until";

/** Selects {@link listColumns} of a range, or `item` of a range of words. An item may occur several times. */
export function selectRange(range: IndexRange, partition: Partition): SqlText {
  switch (range.kind) {
    case "values":
      return selectFrom("content_value", inPostingLists(range, partition), partition);
    case "word":
      return sql`select item from content_word as source where ${allOf([...inPartition(partition), isInWordRange("source", range)])}`;
    case "rows": {
      const of = range.table === "content" ? inPartition(partition) : [isVisible(partition)];
      return selectFrom(range.table, [...of, ...range.conditions], partition);
    }
    default:
      return range satisfies never;
  }
}

function selectFrom(
  table: string,
  conditions: readonly Condition[],
  partition: Partition,
): SqlText {
  return sql`select ${listColumns(partition)} from ${raw(table)} as source where ${allOf(conditions)}`;
}

/** True for rows of `content` or `content_word`, named `source`, in the partition. */
export function inPartition(partition: Partition): readonly Condition[] {
  return [sql`source.collection = ${partition.collection}`, isVisible(partition)];
}

/** True for entries, named `source`, of the posting lists. */
export function inPostingLists(
  { path, values }: Omit<PostingLists, "kind">,
  partition: Partition,
): readonly Condition[] {
  return [...onPath(path, partition), isOneOf(sql`source.value`, values)];
}

/** True for rows of `content_value`, named `source`, of one path in the partition. */
function onPath(path: string, partition: Partition): readonly Condition[] {
  return [isAtPath(path, partition.collection), isVisible(partition)];
}

/** True for rows of `content_value`, named `source`, of one path. */
export function isAtPath(path: string, collection: number): Condition {
  return sql`source.path = ${selectPath(path, collection)}`;
}

function isVisible({ visibility }: Partition): Condition {
  return sql`source.visibility = ${visibility}`;
}

/** Maximum number of posting lists in the lookup of an item for one clause; for more values its leaves are read. */
const MOST_PROBES = 3;

/** Tests an item, named `source`, by a lookup in an index; undefined if reading its leaves is cheaper. */
export function probeRange(range: IndexRange, partition: Partition): Condition | undefined {
  const { collection, dialect, visibility } = partition;
  if (range.kind === "word") {
    return sql`exists (select 1 from content_word as own where own.item = source.item and ${isInWordRange("own", range)} ${dialect.fence})`;
  }
  if (range.kind !== "values" || range.values.length > MOST_PROBES) return undefined;
  const conditions = [
    sql`posting.path = ${selectPath(range.path, collection)}`,
    sql`posting.visibility = ${visibility}`,
    isOneOf(sql`posting.value`, range.values),
    sql`posting.sort_time = source.sort_time`,
    sql`posting.id = source.id`,
  ];
  return sql`exists (select 1 from content_value as posting where ${allOf(conditions)} ${dialect.fence})`;
}

function isInWordRange(table: string, { from, end }: WordRange): Condition {
  const word = raw(`${table}.word`);
  return sql`${word} >= ${from} and ${word} < ${end}`;
}
