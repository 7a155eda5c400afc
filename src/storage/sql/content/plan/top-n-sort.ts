import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import { Statement } from "../../../db/query.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { UNSET_TIME } from "../../times.ts";
import type { Condition } from "../filter/conditions.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { findTimeColumn, VALUE_LENGTH } from "../indexed-fields.ts";
import { nameRanges, type ProbedPath, testsWithout } from "./clause-tests.ts";
import { COLLECTION, IN_PARTITION, selectRange } from "./index-ranges.ts";
import type { ListForm, ListPlan } from "./list-plan.ts";
import { AFTER, LIMIT, type PageForm, toPageForm } from "./order-runs.ts";
import type { ListedRow, PartitionQuery } from "./partition-query.ts";

/**
 * Reads everything that access paths find, at least one, filters it, and returns the first rows in list order. If they
 * are several, each has one range.
 */
export async function sortMatches(
  query: PartitionQuery,
  paths: readonly ProbedPath[],
  chosen: readonly ProbedPath[],
  after: ContentPlace | undefined,
  limit: number,
): Promise<readonly ListedRow[]> {
  const { plan } = query;
  const page = toPageForm(after);
  const read = chosen.map((path) => paths.indexOf(path));
  const name = `sort ${page} ${read} of ${nameRanges(paths)}`;
  const statement = plan.once(
    name,
    () => new Statement(() => selectSorted(plan, paths, chosen, page)),
  );
  return await query.run(statement, after, { limit });
}

function selectSorted(
  plan: ListPlan,
  paths: readonly ProbedPath[],
  chosen: readonly ProbedPath[],
  page: PageForm,
): RawBuilder<ListedRow> {
  const { dialect, form } = plan;
  const key = toSortKey(form);
  const ranges = chosen.flatMap((path) => path.ranges);
  // Every range but of words yields the columns that the default order sorts by.
  const isCovered = plan.isPostingOrder && ranges.every((range) => range.kind !== "word");
  const found = sql.join(
    ranges.map((range) => selectRange(range)),
    chosen.length > 1 ? sql` intersect ` : sql` union all `,
  );
  const conditions = [
    ...(isCovered ? [] : IN_PARTITION),
    ...(page === "first" ? [] : [isBehind(key, form, page)]),
    ...testsWithout(chosen, paths, plan),
  ];
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const direction = sql.raw(form.order.direction);
  const order = key === undefined ? sql`id ${direction}` : sql`key ${direction} nulls last, id`;
  const source = isCovered
    ? sql`(select distinct item, sort_time, id from (${found})) as source`
    : sql`(select distinct item from (${found})) as found
        ${dialect.lookUp({ table: "content", as: "source", item: sql`found.item` })}`;
  return sql<ListedRow>`
    select sorted.key, sorted.id, doc
    from (
      select source.item as item, ${key ?? sql`null`} as key, source.id as id
      from ${source} ${where} order by ${order} limit ${LIMIT}
    ) as sorted
    ${dialect.lookUp({ table: "content", item: sql`sorted.item` })}
    order by ${key === undefined ? sql`sorted.id ${direction}` : sql`sorted.key is null, sorted.key ${direction}, sorted.id`}
  `;
}

/** Returns the sort key of a row of `content`, as `source`; undefined for an order by id. */
function toSortKey({ order: { field } }: ListForm): Expression<unknown> | undefined {
  if (field === "id") return undefined;
  const column = findTimeColumn(field);
  if (column !== undefined) {
    return sql`nullif(${sql.raw(`source.${column}`)}, ${sql.lit(UNSET_TIME)})`;
  }
  const path = findPath(field, COLLECTION);
  return sql`(select substr(key, 1, ${sql.lit(VALUE_LENGTH)}) from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path})`;
}

/** Holds for items after a place; items without a key come last, by id. */
function isBehind(
  key: Expression<unknown> | undefined,
  { order }: ListForm,
  page: PageForm,
): Condition {
  const isAscending = order.direction === "asc";
  const beyond = isAscending ? sql`>` : sql`<`;
  if (key === undefined) return sql<SqlBool>`${ID} ${beyond} ${AFTER.id}`;
  if (page === "afterNull") return sql<SqlBool>`(${key} is null and ${ID} > ${AFTER.id})`;
  return sql<SqlBool>`(${key} is null or ${key} ${beyond} ${AFTER.key} or (${key} = ${AFTER.key} and ${ID} > ${AFTER.id}))`;
}

const ID = sql`source.id`;
