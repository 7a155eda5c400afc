import { allOf, type Condition, join, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { UNSET_TIME } from "../../times.ts";
import { selectPath } from "../collections.ts";
import { findTimeColumn, VALUE_LENGTH } from "../indexed-fields.ts";
import type { ListedRow, PartitionList } from "./clauses.ts";
import { type IndexRange, inPartition, selectRange } from "./index-ranges.ts";

/** Reads all items of some ranges, at least one, tests them, and returns the first rows after a place in list order. */
export async function sortMatches(
  list: PartitionList,
  ranges: readonly IndexRange[],
  tests: readonly Condition[],
  limit: number,
): Promise<readonly ListedRow[]> {
  const { after, dialect, order } = list;
  const key = toSortKey(list);
  // Every range except words yields the sort columns of the default order.
  const isCovered = list.isPostingOrder && ranges.every(({ kind }) => kind !== "word");
  const found = join(
    ranges.map((range) => selectRange(range, list)),
    " union all ",
  );
  const conditions = [
    ...(isCovered ? [] : inPartition(list)),
    ...(after === undefined ? [] : [isBehind(key, order.direction, after)]),
    ...tests,
  ];
  const direction = raw(order.direction);
  const source = isCovered
    ? sql`(select distinct item, sort_time, id from (${found})) as source`
    : sql`(select distinct item from (${found})) as found
        ${dialect.lookUp({ table: "content", as: "source", item: sql`found.item` })}`;
  return await list.db.all(
    sql<ListedRow>`
      select sorted.key, sorted.id, doc, octet_length(doc) as bytes
      from (
        select source.item as item, ${key ?? sql`null`} as key, source.id as id
        from ${source} where ${allOf(conditions)}
        order by ${key === undefined ? sql`id ${direction}` : sql`key ${direction} nulls last, id`}
        limit ${limit}
      ) as sorted
      ${dialect.lookUp({ table: "content", item: sql`sorted.item` })}
      order by ${key === undefined ? sql`sorted.id ${direction}` : sql`sorted.key is null, sorted.key ${direction}, sorted.id`}
    `,
    list.budget,
  );
}

/** Returns the sort key of a row of `content`, named `source`; undefined for an order by id. */
function toSortKey({ order, collection }: PartitionList): SqlText | undefined {
  if (order.field === "id") return undefined;
  const column = findTimeColumn(order.field);
  if (column !== undefined) {
    return sql`nullif(${raw(`source.${column}`)}, ${raw(`${UNSET_TIME}`)})`;
  }
  const path = selectPath(order.field, collection);
  return sql`(select substr(key, 1, ${raw(`${VALUE_LENGTH}`)}) from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path})`;
}

/** True for items after a place; items without a key come last, by id. */
function isBehind(
  key: SqlText | undefined,
  direction: "asc" | "desc",
  after: ContentPlace,
): Condition {
  const beyond = direction === "asc" ? sql`>` : sql`<`;
  if (key === undefined) return sql`source.id ${beyond} ${after.id}`;
  const isLater = sql`source.id > ${after.id}`;
  if (after.key === null) return sql`(${key} is null and ${isLater})`;
  return sql`(${key} is null or ${key} ${beyond} ${after.key} or (${key} = ${after.key} and ${isLater}))`;
}
