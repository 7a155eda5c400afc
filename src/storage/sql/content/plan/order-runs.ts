import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Dialect } from "../../dialect.ts";
import { UNSET_TIME } from "../../times.ts";
import type { Condition } from "../filter/conditions.ts";
import type { Bound, Slot } from "../filter/form-values.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { isWithin, type TimeBounds } from "../filter/time-bounds.ts";
import { findTimeColumn, type TimeColumn } from "../indexed-fields.ts";
import {
  COLLECTION,
  IN_PARTITION,
  inPostingLists,
  onPath,
  type PostingSource,
  VISIBILITY,
} from "./index-ranges.ts";
import type { ListPlan } from "./list-plan.ts";

/** The place after which a page starts: none, one with a sort key, or one of an item without. */
export type PageForm = "first" | "afterKey" | "afterNull";

/** Returns the form of a place. */
export function toPageForm(after: ContentPlace | undefined): PageForm {
  if (after === undefined) return "first";
  return after.key === null ? "afterNull" : "afterKey";
}

/** The place that a statement reads from. */
export const AFTER: { readonly key: Slot; readonly id: Slot } = {
  key: { slot: "afterKey" },
  id: { slot: "afterId" },
};

/** The most rows of a statement. */
export const LIMIT: Slot = { slot: "limit" };

/** The number of items that a statement tests. */
export const SIZE: Slot = { slot: "size" };

/** A contiguous piece of an order that one index yields. A scan reads its runs one after the other. */
export interface OrderRun {
  /** The table, to be read as `source`: rows of `item`, `key` and `id` of one partition. */
  readonly table: "content" | "content_value";
  /** The sort key; null for items without a value. */
  readonly key: Expression<unknown>;
  readonly conditions: readonly Condition[];
  /** Holds for the rows of the run: further rows that the index yields in its place are tested. Absent: all are of it. */
  readonly isOfRun?: Condition;
  readonly orderBy: RawBuilder<unknown>;
  /** The same order in terms of the selected `key` and `id`. */
  readonly orderOf: RawBuilder<unknown>;
}

/** Reads a run in its order, not yet limited. */
export function fromRun({ table, conditions, orderBy }: OrderRun): RawBuilder<unknown> {
  return sql`
    from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)} order by ${orderBy}
  `;
}

/** Returns the run that most items are in: after a place in descending order the first one is the rest of its ties. */
export function findMainRun(runs: readonly OrderRun[]): OrderRun {
  const run = runs.find(({ orderOf }) => orderOf === KEYS_DESCENDING) ?? runs[0];
  if (run === undefined) throw new Error("an order has at least one run");
  return run;
}

type Direction = "asc" | "desc";

const ID = sql`source.id`;
const UNSET = sql.lit(UNSET_TIME);

const KEYS_ASCENDING = sql`source.key is null, source.key, source.id`;
const KEYS_DESCENDING = sql`source.key is null, source.key desc, source.id`;

/** Splits the list's order after a place into runs; of one posting list if it has that order. */
export function toOrderRuns(
  { form: { order, bounds }, dialect }: Pick<ListPlan, "dialect" | "form">,
  postingList: PostingSource | undefined,
  page: PageForm,
): readonly OrderRun[] {
  const { direction, field } = order;
  const table = postingList === undefined ? "content" : "content_value";
  const conditions = postingList === undefined ? IN_PARTITION : inPostingLists(postingList);
  if (field === "id") {
    // Items without a time of their own are sorted by id in their posting lists.
    const timeless = sql<SqlBool>`source.sort_time = ${UNSET}`;
    const own = postingList === undefined ? conditions : [...conditions, timeless];
    return toIdRuns(table, own, direction, page);
  }
  const column = findTimeColumn(field);
  if (column === undefined) return toTextRuns(field, direction, page, dialect);
  return toTimeRuns({ table, column, conditions }, direction, bounds, page);
}

/** Rows sorted by a time: a partition, or one posting list. */
interface TimeSource {
  readonly table: "content" | "content_value";
  readonly column: TimeColumn;
  readonly conditions: readonly Condition[];
}

/** Splits an order by a time; unset times come last, by id. */
function toTimeRuns(
  { table, column, conditions }: TimeSource,
  direction: Direction,
  bounds: TimeBounds<Bound> | undefined,
  page: PageForm,
): readonly OrderRun[] {
  const key = sql.raw(`source.${column}`);
  const toRun = (own: readonly Condition[], isDescending = false): OrderRun => ({
    table,
    key: sql`nullif(${key}, ${UNSET})`,
    conditions: [...conditions, ...own],
    orderBy: isDescending ? sql`${key} desc, ${ID}` : sql`${key}, ${ID}`,
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
  });
  const within = isWithin(key, bounds);
  const unset = (behind: readonly Condition[]) =>
    bounds === undefined ? [toRun([sql<SqlBool>`${key} = ${UNSET}`, ...behind])] : [];
  if (direction === "asc") {
    const at = page === "afterKey" ? sql`${AFTER.key}` : UNSET;
    const behind = sql<SqlBool>`(${key}, ${ID}) > (${at}, ${AFTER.id})`;
    return [toRun([...within, ...(page === "first" ? [] : [behind])])];
  }
  const set = sql<SqlBool>`${key} < ${UNSET}`;
  if (page === "first") return [toRun([set, ...within], true), ...unset([])];
  const later = sql<SqlBool>`${ID} > ${AFTER.id}`;
  if (page === "afterNull") return unset([later]);
  return [
    toRun([sql<SqlBool>`${key} = ${AFTER.key}`, later]),
    toRun([sql<SqlBool>`${key} < ${AFTER.key}`, ...within], true),
    ...unset([]),
  ];
}

function toIdRuns(
  table: "content" | "content_value",
  conditions: readonly Condition[],
  direction: Direction,
  page: PageForm,
): readonly OrderRun[] {
  const isDescending = direction === "desc";
  const beyond = isDescending ? sql`<` : sql`>`;
  const behind = page === "first" ? [] : [sql<SqlBool>`${ID} ${beyond} ${AFTER.id}`];
  return [
    {
      table,
      key: sql`null`,
      conditions: [...conditions, ...behind],
      orderBy: isDescending ? sql`${ID} desc` : sql`${ID}`,
      orderOf: isDescending ? sql`source.id desc` : sql`source.id`,
    },
  ];
}

/** Splits an order by the texts of a path; items without one come last, by id. */
function toTextRuns(
  path: string,
  direction: Direction,
  page: PageForm,
  dialect: Dialect,
): readonly OrderRun[] {
  const key = sql`source.value`;
  const isDescending = direction === "desc";
  const lacks = sql<SqlBool>`not exists (select 1 from content_leaf as leaf where leaf.item = source.item and leaf.path = ${findPath(path, COLLECTION)})`;
  const place = page === "afterNull" ? page : "first";
  // There may be none, so that to look for one would read the whole partition.
  const untitled = toIdRuns("content", IN_PARTITION, "asc", place).map((run) => ({
    ...run,
    isOfRun: lacks,
  }));
  if (page === "afterNull") return untitled;
  const after = page === "first" ? undefined : AFTER.key;
  const range = dialect.sortsByEstimate
    ? toEntryRange(path, isDescending, after)
    : toPathRange(path, isDescending, after);
  const titled: OrderRun = {
    ...{ table: "content_value", key, ...range },
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
  };
  if (page === "first") return [titled, ...untitled];
  const tie: OrderRun = {
    ...{ table: "content_value", key },
    conditions: [
      ...onPath(path),
      sql<SqlBool>`${key} = ${AFTER.key}`,
      sql<SqlBool>`${ID} > ${AFTER.id}`,
    ],
    orderBy: sql`${key}, ${ID}`,
    orderOf: KEYS_ASCENDING,
  };
  return [tie, titled, ...untitled];
}

/** The texts of a path behind one of them, in their order. */
type TextRange = Pick<OrderRun, "conditions" | "orderBy">;

function toPathRange(path: string, isDescending: boolean, after: Slot | undefined): TextRange {
  const beyond = isDescending ? sql`<` : sql`>`;
  return {
    conditions: [
      ...onPath(path),
      ...(after === undefined ? [] : [sql<SqlBool>`source.value ${beyond} ${after}`]),
    ],
    orderBy: isDescending ? sql`source.value desc, ${ID}` : sql`source.value, ${ID}`,
  };
}

/**
 * Writes the same range as one of index entries: a planner takes it for very many, with or without statistics, and so
 * sorts no more of them at once than have one text.
 */
function toEntryRange(path: string, isDescending: boolean, after: Slot | undefined): TextRange {
  const number = findPath(path, COLLECTION);
  const entry = sql`(source.path, source.visibility, source.value)`;
  const [first, end] = [sql`${VISIBILITY}, ''`, sql`${VISIBILITY} + 1, ''`];
  const text = after && sql`${VISIBILITY}, ${after}`;
  const lower =
    isDescending || text === undefined
      ? sql`>= (${number}, ${first})`
      : sql`> (${number}, ${text})`;
  const upper = sql`< (${number}, ${(isDescending && text) || end})`;
  const columns = ["path", "visibility", "value"].map((it) => sql.raw(`source.${it}`));
  const sorted = columns.map((column) => (isDescending ? sql`${column} desc` : column));
  return {
    conditions: [sql<SqlBool>`${entry} ${lower}`, sql<SqlBool>`${entry} ${upper}`],
    orderBy: sql`${sql.join([...sorted, ID])}`,
  };
}
