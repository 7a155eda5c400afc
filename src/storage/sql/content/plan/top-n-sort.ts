import type { ContentOrder } from "../../../../domain/content/order.ts";
import { findTimeColumn, VALUE_LENGTH } from "../../../content/indexed-fields.ts";
import type { ListedRow, ListPlace } from "../../../content/places.ts";
import { allOf, type Condition, join, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { UNSET_TIME } from "../../../db/times.ts";
import { selectPath } from "../index/collections.ts";
import { isPostingOrder, type PartitionList } from "./clauses.ts";
import { type IndexRange, inPartition, selectRange } from "./index-ranges.ts";

/** Reads all items of some ranges, at least one, tests them, and returns the first rows after a place in list order. */
export async function sortMatches(
  list: PartitionList,
  ranges: readonly IndexRange[],
  tests: readonly Condition[],
  limit: number,
): Promise<readonly ListedRow[]> {
  const { after, collection, dialect, order, withDocuments } = list;
  // Every range except words yields the sort columns of the default order.
  const isWord = ranges.some(({ kind }) => kind === "word");
  const isCovered = isPostingOrder(list) && !isWord;
  const found = join(
    ranges.map((range) => selectRange(range, list)),
    " union all ",
  );
  const conditions = [
    ...(isCovered ? [] : inPartition(list)),
    ...(isWord ? list.open : []),
    ...(after === undefined ? [] : [isBehind(order, after, collection)]),
    ...tests,
  ];
  const open = allOf(isWord ? [] : list.open);
  const source = isCovered
    ? sql`(select distinct item, sort_time, id from (${found}) as source where ${open}) as source`
    : sql`(select distinct item from (${found}) as source where ${open}) as found
        ${dialect.lookUp({ table: "content", as: "source", item: sql`found.item` })}`;
  const second = order.second ? sql`sorted.second, ` : sql``;
  const document = withDocuments
    ? sql`doc, octet_length(doc) as bytes`
    : sql`'' as doc, 0 as bytes`;
  return await list.db.all(
    sql<ListedRow>`
      select sorted.key, ${second}sorted.id, sorted.item, ${document}
      from (
        select source.item as item, ${selectKeys(order, collection)}, source.id as id
        from ${source} where ${allOf(conditions)}
        order by ${sortBy(order)}
        limit ${limit}
      ) as sorted
      ${withDocuments ? dialect.lookUp({ table: "content", item: sql`sorted.item` }) : sql``}
      order by ${sortBy(order, "sorted.")}
    `,
    list.budget,
  );
}

/** Selects `key` of a row, named `source`, and `second` if the order has a second field. */
function selectKeys(order: ContentOrder, collection: number): SqlText {
  const key = sql`${toSortKey(order, collection)} as key`;
  return order.second ? sql`${key}, ${toSortKey(order.second, collection)} as second` : key;
}

/** Sorts rows of `key`, `second` and `id`. */
export function sortBy(order: ContentOrder, table = ""): SqlText {
  const by = (column: string, { direction }: Pick<ContentOrder, "direction">) =>
    raw(`${table}${column} ${direction}`);
  if (order.field === "id") return by("id", order);
  const rest = order.second ?? { field: "id", direction: "asc" };
  const first = sql`${by("key", order)} nulls last`;
  if (rest.field === "id") return sql`${first}, ${by("id", rest)}`;
  return sql`${first}, ${by("second", rest)} nulls last, ${raw(`${table}id`)}`;
}

/**
 * Returns the sort key of an item by the first field of an order: null without a value, and in an order by id. The
 * item is a row of `content`, named `source`; for a value, of any table. Of several values, the first in the
 * direction counts.
 */
export function toSortKey({ field, direction }: ContentOrder, collection: number): SqlText {
  if (field === "id") return sql`null`;
  const column = findTimeColumn(field);
  if (column !== undefined) {
    return sql`nullif(${raw(`source.${column}`)}, ${raw(`${UNSET_TIME}`)})`;
  }
  const first = raw(direction === "asc" ? "min" : "max");
  const path = selectPath(field, collection);
  return sql`(select ${first}(${LEAF_VALUE}) from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path})`;
}

/** The value of a leaf in its form in posting lists. */
export const LEAF_VALUE: SqlText = raw(`substr(leaf.key, 1, ${VALUE_LENGTH})`);

/** True for items after a place, in the form of {@link toSortKey}; items without a key come last, by id. */
export function isBehind(order: ContentOrder, after: ListPlace, collection: number): Condition {
  const { direction, field, second } = order;
  const beyond = direction === "asc" ? sql`>` : sql`<`;
  if (field === "id") return sql`source.id ${beyond} ${after.id}`;
  const key = toSortKey(order, collection);
  const isLater =
    second === undefined || after.second === undefined
      ? sql`source.id > ${after.id}`
      : isBehind(second, { key: after.second, id: after.id }, collection);
  if (after.key === null) return sql`(${key} is null and ${isLater})`;
  return sql`(${key} is null or ${key} ${beyond} ${after.key} or (${key} = ${after.key} and ${isLater}))`;
}
