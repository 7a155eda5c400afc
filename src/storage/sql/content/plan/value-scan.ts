import type { DocumentOrder } from "../../../../domain/base/paging.ts";
import type { ContentOrder } from "../../../../domain/content/order.ts";
import { compareCodePoints } from "../../../../domain/kql/index.ts";
import { findTimeColumn } from "../../../content/indexed-fields.ts";
import { BEFORE, BEHIND, type ListedRow, type ListPlace } from "../../../content/places.ts";
import { allOf, type Condition, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import { selectPath } from "../index/collections.ts";
import { listConjuncts, type PartitionList, type Section, toValueClause } from "./clauses.ts";
import { type IndexRange, listColumns, type RowRange } from "./index-ranges.ts";
import type { ScanStep, StepSize } from "./order-scan.ts";
import { isBehind, LEAF_VALUE, sortBy, toSortKey } from "./top-n-sort.ts";

/** Reports whether an order is by the values of a path, in posting lists, and not by a time or the id. */
export function isByValue({ field }: ContentOrder): boolean {
  return field !== "id" && findTimeColumn(field) === undefined;
}

/** A row, or without a document the last value of a batch and the first. */
interface BatchRow extends ListedRow {
  readonly first: string | null;
}

/**
 * Reads items in the order of the values of a path, after the list's place. A step reads a batch: the next entries of
 * the path's posting lists, which are in the order of the values. It sorts the entries of each value by the rest of the
 * order. It omits the last value, because the next batch may have more entries of it. Then it tests item by item until
 * enough are found. A value with more entries than a batch is a section.
 */
export async function scanValues(
  list: PartitionList,
  tests: readonly Condition[],
  { wanted, size }: StepSize,
): Promise<ScanStep> {
  const { after, budget, db, dialect, order } = list;
  if (after?.key === null) return { rows: [], section: toSection(list, null) };
  const statement = budget.count(
    () => sql<BatchRow>`
      select found.key, ${order.second ? sql`found.second, ` : sql``}found.first, found.id, doc, octet_length(doc) as bytes
      from (${selectBatch(list, tests, wanted, size)}) as found
      ${dialect.lookUp({ table: "content", item: sql`found.item`, isLeft: true })}
    `,
  );
  const rows: ListedRow[] = [];
  for (const { first, ...row } of await db.all(statement, budget)) {
    if (first === null) rows.push(row);
    else if (first === row.key) return { rows, section: toSection(list, first) };
    else return { rows, end: { key: row.key, id: BEFORE } };
  }
  return findEnd(list) === undefined ? { rows, end: { key: null, id: BEFORE } } : { rows };
}

/** Selects the rows of a batch, and after them its last value unless the values end in it. */
function selectBatch(
  list: PartitionList,
  tests: readonly Condition[],
  wanted: number,
  size: number,
): SqlText {
  const { after, collection, dialect, order } = list;
  const rest = restOf(order);
  // Entries lack the times of changes.
  const isChange = rest.field === "create_time" || rest.field === "update_time";
  const content = dialect.lookUp({ table: "content", as: "source", item: sql`entry.item` });
  const value = raw(isChange ? "entry.value" : "source.value");
  const start = after && toRestPlace(order, after);
  const isWhole = sql`${value} <> coalesce((select value from last), '')`;
  const isLater = start && sql`(${value} <> ${after.key} or ${isBehind(rest, start, collection)})`;
  const isListed = allOf([isWhole, ...list.open, ...(isLater ? [isLater] : [])]);
  const entries = selectEntries(list);
  return sql`
    with last as materialized (
      select value, (select value from (${entries} limit 1) as first) as first
      from (${entries} limit 1 offset ${size - 1}) as entry
    )
    select key, second, null as first, id, item
    from (
      select ${value} as key, ${toSortKey(rest, collection)} as second, ${listColumns(list)}
      from (${entries} limit ${size}) as ${isChange ? sql`entry ${content}` : sql`source`}
      where ${isListed}
      order by ${sortBy({ ...order, second: rest })} limit ${size}
    ) as source
    where ${allOf([isFirst(list, sql`source.key`), ...tests])}
    union all
    select value, null, first, '', null from last
    limit ${wanted}
  `;
}

/** The least and the greatest value. */
const [LEAST, GREATEST] = ["", "\u{10ffff}"];

/** Selects the entries of the path in the order of their values, from the list's place to the end set by the filter. */
function selectEntries(list: PartitionList): SqlText {
  const { after, collection, order, visibility } = list;
  const isAscending = order.direction === "asc";
  const [start, end] = isAscending ? [LEAST, GREATEST] : [GREATEST, LEAST];
  const isBeyond = after?.second === undefined && after?.id === BEHIND;
  const beyond = raw(`${isAscending ? ">" : "<"}${isBeyond ? "" : "="}`);
  const within = raw(isAscending ? "<=" : ">=");
  const path = selectPath(order.field, collection);
  // As a range of index entries: a planner expects very many rows in it, so it does not sort them.
  const entry = sql`(source.path, source.visibility, source.value)`;
  const direction = raw(order.direction);
  return sql`
    select value, ${listColumns(list)} from content_value as source
    where ${entry} ${beyond} (${path}, ${visibility}, ${after?.key ?? start})
      and ${entry} ${within} (${path}, ${visibility}, ${findEnd(list) ?? end})
    order by path ${direction}, visibility ${direction}, value ${direction}
  `;
}

/**
 * True for items, named `source`, with the value that determines their place: of several values, the first in the
 * order.
 */
function isFirst({ collection, dialect, order }: PartitionList, value: SqlText): Condition {
  const path = selectPath(order.field, collection);
  const before = raw(order.direction === "asc" ? "<" : ">");
  return sql`not exists (
    select 1 from content_leaf as leaf
    where leaf.item = source.item and leaf.path = ${path} and ${LEAF_VALUE} ${before} ${value} ${dialect.fence}
  )`;
}

/** True for items, named `source`, without a value. */
function lacksValue({ collection, dialect, order }: PartitionList): Condition {
  const path = selectPath(order.field, collection);
  return sql`not exists (
    select 1 from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path} ${dialect.fence}
  )`;
}

/** Returns the items with a value, or the items without one, after the list's place. */
function toSection(list: PartitionList, value: string | null): Section {
  const { after, clauses, costs, filter, now, order } = list;
  const rest = restOf(order);
  const condition = value === null ? lacksValue(list) : isFirst(list, sql`${value}`);
  const section: PartitionList = {
    ...list,
    order: rest,
    after: after?.key === value ? toRestPlace(order, after) : undefined,
    clauses: value === null ? clauses : [...clauses, toValueClause(order.field, value)],
    conditions: [...list.conditions, condition],
    costs: { ...costs, inSql: costs.inSql + 1 },
    bounds: findTimeBounds(listConjuncts(filter), rest.field, now),
  };
  return { list: section, value, ...(value !== null && { end: { key: value, id: BEHIND } }) };
}

/** Returns the order of the items of a section. */
function restOf({ second }: ContentOrder): DocumentOrder {
  return second ?? { field: "id", direction: "asc" };
}

/** Converts a place at a value to one in the rest of the order; undefined before all items of the value. */
function toRestPlace(order: ContentOrder, { second, id }: ListPlace): ListPlace | undefined {
  if (order.second === undefined) return { key: null, id };
  return second === undefined ? undefined : { key: second, id };
}

/** Converts a place in the rest of the order to a place at a value. */
export function toPlaceAt<Place extends ListPlace>(
  order: ContentOrder,
  value: string | null,
  place: Place,
): Place {
  return { ...place, key: value, second: order.second && place.key };
}

/**
 * Returns the end of the values: no item after it in the order matches the filter. Undefined unless the filter
 * requires a value at the path. It bounds one end only: an item with a value within a range may have others before
 * the range.
 */
function findEnd({ clauses, order }: PartitionList): string | undefined {
  const isAscending = order.direction === "asc";
  const ends = clauses.flatMap(({ ranges = [] }) => {
    const spans = ranges.map((range) => toSpan(range, order.field));
    const ofClause = spans.map((span) => (isAscending ? span?.to : span?.from));
    if (ofClause.includes(undefined)) return [];
    return sortValues(ofClause).at(isAscending ? -1 : 0) ?? [];
  });
  return sortValues(ends).at(isAscending ? 0 : -1);
}

function sortValues(values: readonly (string | undefined)[]): readonly string[] {
  return values.filter((value) => value !== undefined).sort(compareCodePoints);
}

/** Returns the least and the greatest value of a range of items at a path; undefined for other ranges. */
function toSpan(range: IndexRange, path: string): RowRange["span"] {
  if (range.kind === "rows") return range.span?.path === path ? range.span : undefined;
  if (range.kind === "word" || range.path !== path) return undefined;
  const values = sortValues(range.values);
  return { path, from: values[0] ?? LEAST, to: values.at(-1) ?? GREATEST };
}
