import { type SqlBool, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Condition } from "../filter/conditions.ts";
import type { CountedDriver } from "./count-access-paths.ts";
import { selectSeek } from "./index-ranges.ts";
import { onShelf } from "./order-runs.ts";
import type { ListedRow, ShelfQuery } from "./partition-query.ts";

const ID = sql`source.id`;

/** Finds what one driver finds, tries each item and sorts those that are left. */
export async function sortFound(
  query: ShelfQuery,
  counted: readonly CountedDriver[],
  { driver, seeks }: CountedDriver,
  after: ContentPlace | undefined,
  limit: number,
): Promise<readonly ListedRow[]> {
  const { key, options } = query;
  const isPlaced = query.isOwnOrder && seeks.every((seek) => seek.kind !== "words");
  const found = seeks.map((seek) => selectSeek(seek, options));
  const conditions = [
    ...(isPlaced ? [] : onShelf(options)),
    ...(after === undefined ? [] : [isBehind(query, after)]),
    ...query.conditionsWithout(driver, counted),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const direction = sql.raw(options.order.direction);
  const order = key === undefined ? sql`id ${direction}` : sql`key is null, key ${direction}, id`;
  // What seeks find has its place in the list's own order with it; for any other the item is read.
  const source = isPlaced
    ? sql`(select distinct item, sort_time, id from (${sql.join(found, sql` union all `)})) as source`
    : sql`(select distinct item from (${sql.join(found, sql` union all `)})) as found
        cross join content as source on source.item = found.item`;
  return await query.run(sql<ListedRow>`
    select sorted.key, sorted.id, doc
    from (
      select source.item as item, ${key ?? sql`null`} as key, source.id as id
      from ${source} ${where} order by ${order} limit ${limit}
    ) as sorted
    cross join content on content.item = sorted.item
    order by ${key === undefined ? sql`sorted.id ${direction}` : sql`sorted.key is null, sorted.key ${direction}, sorted.id`}
  `);
}

/** Tells an item that lies behind a place; what has no value comes last, by id. */
function isBehind({ key, options }: ShelfQuery, after: ContentPlace): Condition {
  const isAscending = options.order.direction === "asc";
  if (key === undefined) {
    return isAscending ? sql<SqlBool>`${ID} > ${after.id}` : sql<SqlBool>`${ID} < ${after.id}`;
  }
  if (after.key === null) return sql<SqlBool>`(${key} is null and ${ID} > ${after.id})`;
  const beyond = isAscending ? sql`>` : sql`<`;
  return sql<SqlBool>`(${key} is null or ${key} ${beyond} ${after.key} or (${key} = ${after.key} and ${ID} > ${after.id}))`;
}
