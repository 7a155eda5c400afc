import { type Expression, type SqlBool, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import { UNSET_TIME } from "../../times.ts";
import type { Condition } from "../filter/conditions.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { findTimeColumn, VALUE_LENGTH } from "../indexed-fields.ts";
import { inPartition, selectRange } from "./index-ranges.ts";
import type { ListedRow, PartitionOptions, PartitionQuery, ProbedPath } from "./partition-query.ts";

const ID = sql`source.id`;

/** Reads everything that one access path finds, filters it, and returns the first rows in list order. */
export async function sortMatches(
  query: PartitionQuery,
  paths: readonly ProbedPath[],
  { path, ranges }: ProbedPath,
  after: ContentPlace | undefined,
  limit: number,
): Promise<readonly ListedRow[]> {
  const { options } = query;
  const { forcedJoin } = options.dialect;
  const key = toSortKey(options);
  // Every range but the full-text index yields the columns that the default order sorts by.
  const isCovered = query.isPostingOrder && ranges.every((range) => range.kind !== "words");
  const found = ranges.map((range) => selectRange(range, options));
  const conditions = [
    ...(isCovered ? [] : inPartition(options)),
    ...(after === undefined ? [] : [isBehind(key, options, after)]),
    ...query.conditionsWithout(path, paths),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const direction = sql.raw(options.order.direction);
  const order = key === undefined ? sql`id ${direction}` : sql`key is null, key ${direction}, id`;
  const source = isCovered
    ? sql`(select distinct item, sort_time, id from (${sql.join(found, sql` union all `)})) as source`
    : sql`(select distinct item from (${sql.join(found, sql` union all `)})) as found
        ${forcedJoin} content as source on source.item = found.item`;
  return await query.run(sql<ListedRow>`
    select sorted.key, sorted.id, doc
    from (
      select source.item as item, ${key ?? sql`null`} as key, source.id as id
      from ${source} ${where} order by ${order} limit ${limit}
    ) as sorted
    ${forcedJoin} content on content.item = sorted.item
    order by ${key === undefined ? sql`sorted.id ${direction}` : sql`sorted.key is null, sorted.key ${direction}, sorted.id`}
  `);
}

/** Returns the sort key of a row of `content`, as `source`; undefined for an order by id. */
function toSortKey({ collection, order }: PartitionOptions): Expression<unknown> | undefined {
  const { field } = order;
  if (field === "id") return undefined;
  const column = findTimeColumn(field);
  if (column !== undefined) {
    return sql`nullif(${sql.raw(`source.${column}`)}, ${sql.lit(UNSET_TIME)})`;
  }
  const path = findPath(field, sql.lit(collection));
  return sql`(select substr(key, 1, ${sql.lit(VALUE_LENGTH)}) from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path})`;
}

/** Holds for items after a place; items without a key come last, by id. */
function isBehind(
  key: Expression<unknown> | undefined,
  { order }: PartitionOptions,
  after: ContentPlace,
): Condition {
  const isAscending = order.direction === "asc";
  if (key === undefined) {
    return isAscending ? sql<SqlBool>`${ID} > ${after.id}` : sql<SqlBool>`${ID} < ${after.id}`;
  }
  if (after.key === null) return sql<SqlBool>`(${key} is null and ${ID} > ${after.id})`;
  const beyond = isAscending ? sql`>` : sql`<`;
  return sql<SqlBool>`(${key} is null or ${key} ${beyond} ${after.key} or (${key} = ${after.key} and ${ID} > ${after.id}))`;
}
