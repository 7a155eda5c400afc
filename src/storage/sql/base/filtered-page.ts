import { type DescMessage, type JsonObject, type MessageShape, toJson } from "@bufbuild/protobuf";
import { type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { FULL_JSON } from "../../../domain/base/json.ts";
import type { OrderPlace } from "../../../domain/base/paging.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../domain/base/work-budget.ts";
import {
  compareCodePoints,
  createKqlTest,
  KqlDocument,
  type KqlNode,
  readEqualities,
} from "../../../domain/kql/index.ts";
import type { DocumentPage, DocumentQuery } from "../../contract/document-store.ts";
import type { Db } from "../../db/db.ts";
import type { Query } from "../../db/query.ts";
import { UNSET_TIME } from "../../db/times.ts";
import { createListBudget } from "./list-budget.ts";
import { type Size, toParts } from "./read-documents.ts";

/** The number of rows that a filter tests first, how many times more it tests next, and the maximum. */
const FIRST_STEP = 20;
const GROWTH = 5;
const LONGEST_STEP = 500;

/** The maximum number of rows that one statement sorts: other calls wait for it. */
const MOST_SORTED = 5_000;

/** A row with its place in the order of a list. */
interface PlacedRow extends Size {
  readonly id: string;
  readonly order_key: number | null;
}

/** How the rows of a list are found, ordered and read. */
export interface Listing<Row, T> {
  readonly table: string;
  /** True if indexes have the order of ids only, also of a look-up: rows are sorted in slices of them. */
  readonly isSliced?: boolean;
  /** The expressions of the fields that the list can be ordered by; default: the columns with the same names. */
  readonly orderKeys?: Readonly<Record<string, string>> | undefined;
  /** True if these columns may be `UNSET_TIME`, which comes last in both directions. */
  readonly hasUnset?: boolean;
  /** The fields whose equality in the filter is looked up in the columns of the same names. */
  readonly lookups?: readonly string[];
  /** The message of the values. */
  readonly schema: DescMessage;
  toValue(row: Row): T;
  /** Adds what only the filter sees to the JSON of a value. Default: nothing. */
  toFiltered?(json: JsonObject, value: T): JsonObject;
  /** The column with the document that the size of a row is taken from. Default: `doc` of the table. */
  readonly document?: string;
}

/**
 * Reads a page of values that match the filter, testing one after the other. Stops when the budget is spent, after at
 * least one test, and before a value that would make the response too large, unless it is the first.
 */
export async function listFiltered<DB, TB extends keyof DB, Row, T>(
  db: Db,
  query: Omit<DocumentQuery, "parentIds">,
  rowsOfParents: SelectQueryBuilder<DB, TB, Row>,
  listing: Listing<NoInfer<Row>, T>,
): Promise<DocumentPage<T>> {
  const { limit, budget = createListBudget() } = query;
  const matches = createMatch(listing, query.filter, query.now);
  const select = selectInOrder(rowsOfParents, listing, query);
  const values: T[] = [];
  let { after } = query;
  // The rows that a long search has found are read.
  let end = 0;
  const first = select.slices === undefined ? FIRST_STEP : LONGEST_STEP;
  for (let step = first; ; step = Math.min(step * GROWTH, LONGEST_STEP)) {
    let left = matches === undefined ? limit + 1 : step;
    const parts = toParts(await findPlaces(db, select, { after, limit: left }, budget));
    if (select.slices !== undefined) end ||= budget.spent + WORK_LIMITS.page;
    for (const part of parts) {
      // Rows that were inserted since their sizes were read are not omitted.
      const most = part === parts.at(-1) ? left : part.length;
      const rows = await db.all(select.rows(after, most, part), budget);
      left -= select.slices === undefined ? rows.length : part.length;
      for (const row of rows) {
        await budget.nextStep();
        const found = budget.count(() => {
          const value = listing.toValue(row);
          return matches === undefined || matches(value) ? { value } : undefined;
        });
        if (found !== undefined) {
          const isFull = values.length === limit;
          if (isFull || (!budget.takeBytes(row.bytes) && values.length > 0)) {
            return { values, ...(after && { next: after }) };
          }
          values.push(found.value);
        }
        after = { key: row.order_key, id: row.id };
        if (budget.isSpent && budget.spent >= end) return { values, next: after };
      }
    }
    if (left > 0) return { values };
  }
}

/** Finds the places of the first rows after another one, in the order of a list. */
async function findPlaces(
  db: Db,
  { sizes, slices }: Pick<ReturnType<typeof selectInOrder>, "sizes" | "slices">,
  { after, limit }: { readonly after: OrderPlace | undefined; readonly limit: number },
  budget: WorkBudget,
): Promise<readonly PlacedRow[]> {
  if (slices === undefined) return db.all(sizes(after, limit), budget);
  let places: readonly PlacedRow[] = [];
  let start: string | undefined;
  do {
    const [next] = await db.all(slices.end(start), budget);
    const slice = await db.all(sizes(after, limit, { start, end: next?.id }), budget);
    places = budget.count(() => [...places, ...slice].sort(slices.compare).slice(0, limit));
    start = next?.id;
    await budget.nextStep();
  } while (start !== undefined);
  return places;
}

/** The rows whose ids follow one id, up to another; absent: from the first, and to the last. */
interface Slice {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/** Returns the selections of the rows after a place and of their sizes, in the order of a query, narrowed by its filter. */
function selectInOrder<DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  { table, document = `${table}.doc`, orderKeys = {}, ...listing }: Listing<Row, unknown>,
  { filter, order: { field, direction } }: Omit<DocumentQuery, "parentIds">,
) {
  const { hasUnset = false, isSliced = false, lookups = [] } = listing;
  const columnOf = (name: string) => sql.ref(`${table}.${name}`);
  const id = columnOf("id");
  const expression = orderKeys[field];
  const key =
    expression !== undefined ? sql.raw(expression) : field === "id" ? undefined : columnOf(field);
  const further = sql.raw(direction === "asc" ? ">" : "<");
  const unset = sql.lit(UNSET_TIME);
  const placed = [
    sql<number>`coalesce(octet_length(${sql.ref(document)}), 0)`.as("bytes"),
    sql<number | null>`${key ?? sql.lit(null)}`.as("order_key"),
  ];
  let select = rows.select(placed);
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    // An empty value is not in the index, which contains existing resources only: the filter tests it.
    if (!lookups.includes(path) || value === "") continue;
    select = select.where(columnOf(path), "=", value);
  }
  const found = select;
  if (key === undefined) select = select.orderBy(id, direction);
  else {
    if (hasUnset) select = select.orderBy(sql`${key} = ${unset}`);
    select = select.orderBy(key, direction).orderBy(id);
  }
  const slices = {
    /** Selects the last row of the slice that begins behind a row; none: it is the last slice. */
    end: (start: string | undefined): Query<{ readonly id: string }> =>
      within(found, { start })
        .clearSelect()
        .select(sql<string>`${id}`.as("id"))
        .orderBy(id)
        .limit(1)
        .offset(MOST_SORTED - 1)
        .$castTo<{ readonly id: string }>(),
    compare(a: PlacedRow, b: PlacedRow): number {
      const [first, second] = [Number(a.order_key), Number(b.order_key)];
      const last = Number(first === UNSET_TIME) - Number(second === UNSET_TIME);
      const distance = direction === "asc" ? first - second : second - first;
      return last || distance || compareCodePoints(a.id, b.id);
    },
  };
  const isSorted = isSliced && key !== undefined;
  return {
    /** Selects the rows behind a place, or the rows of a part that was found in slices. */
    rows: (after: OrderPlace | undefined, limit: number, part: readonly PlacedRow[]) => {
      const ids = part.map((it) => it.id);
      const selected = isSorted ? select.where(id, "in", ids) : behind(after).limit(limit);
      return selected.$castTo<PlacedRow & Row>() as Query<PlacedRow & Row>;
    },
    /** Selects the places of rows behind a place. */
    sizes: (after: OrderPlace | undefined, limit: number, slice: Slice = {}): Query<PlacedRow> =>
      within(behind(after), slice)
        .clearSelect()
        .select([...placed, sql<string>`${id}`.as("id")])
        .limit(limit)
        .$castTo<PlacedRow>(),
    ...(isSorted && { slices }),
  };

  function within(selected: typeof select, { start, end }: Slice) {
    // Between two comparisons, SQLite would use the index of the parent instead of the index of the look-up.
    if (start !== undefined && end !== undefined) {
      return selected.where(sql<SqlBool>`${id} between ${start} and ${end} and ${id} <> ${start}`);
    }
    if (start !== undefined) return selected.where(id, ">", start);
    return end === undefined ? selected : selected.where(id, "<=", end);
  }

  function behind(after: OrderPlace | undefined) {
    return after === undefined ? select : select.where(isBehind(after));
  }

  function isBehind(after: OrderPlace) {
    if (key === undefined) return sql<SqlBool>`${id} ${further} ${after.id}`;
    if (!hasUnset) {
      // A condition with "or" alone would read an index from its start.
      return sql<SqlBool>`(${key} ${further}= ${after.key} and (${key} ${further} ${after.key} or ${id} > ${after.id}))`;
    }
    const tie = sql<SqlBool>`(${key} = ${after.key} and ${id} > ${after.id})`;
    if (after.key === UNSET_TIME) return tie;
    return sql<SqlBool>`(${tie} or (${key} ${further} ${after.key} and ${key} <> ${unset}) or ${key} = ${unset})`;
  }
}

/**
 * Creates the test of a filter on the JSON of the Studio API: with proto names and implicit defaults. Undefined
 * without a filter.
 */
function createMatch<Row, T>(
  { schema, toFiltered = (json) => json }: Listing<Row, T>,
  filter: KqlNode | undefined,
  now: Date,
) {
  if (filter === undefined) return undefined;
  const test = createKqlTest(filter, now.getTime());
  return (value: T) => {
    const json = toJson(schema, value as MessageShape<DescMessage>, FULL_JSON) as JsonObject;
    return test(new KqlDocument(toFiltered(json, value)));
  };
}
