import { findTimeColumn, type TimeColumn } from "../../../content/indexed-fields.ts";
import type { ListedRow, ListPlace } from "../../../content/places.ts";
import { allOf, type Condition, join, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { UNSET_TIME } from "../../../db/times.ts";
import { isWithin } from "../filter/time-bounds.ts";
import type { PartitionList, Section } from "./clauses.ts";
import { inPartition, inPostingLists, listColumns } from "./index-ranges.ts";

/** The list of the items that have one value at a path, which is sorted in the default order. */
export interface PostingList {
  readonly path: string;
  readonly value: string;
}

/** The rows of one step of a scan. */
export interface ScanStep {
  readonly rows: readonly ListedRow[];
  /** The place where the step stopped; absent at the end of the order, or with as many rows as wanted. */
  readonly end?: ListPlace;
  /** In an order by values, the items to list next by themselves. */
  readonly section?: Section;
}

/** How far one step of a scan goes. */
export interface StepSize {
  /** Maximum number of rows to find. */
  readonly wanted: number;
  /** Approximate maximum number of items to test. */
  readonly size: number;
}

/** A row, or without an item the place of the last one tested. */
interface ScannedRow extends ListPlace {
  readonly item: number | null;
  readonly doc: string;
  readonly bytes: number;
}

/**
 * Reads items in the list's order, by a time or the id, after the list's place and tests each, until enough are found or
 * tested. It reads a posting list, several that are merged, or without any the partition.
 */
export async function scanOrder(
  list: PartitionList,
  clauseTests: readonly Condition[],
  { wanted, size }: StepSize,
  postings: readonly PostingList[],
): Promise<ScanStep> {
  const columns = listColumns(list);
  const tests = [...list.open, ...clauseTests];
  const select = (run: OrderRun, index: number, limit: number) => {
    if (postings.length < 2) return selectTested(run, { columns, tests, limit, size });
    const runs = postings.flatMap((posting) => toOrderRuns(list, posting)[index] ?? []);
    const share = Math.max(2 * limit, Math.ceil(size / postings.length));
    return mergePostings(runs, { columns, tests, limit, size: share });
  };
  const rows: ListedRow[] = [];
  for (const [index, run] of toOrderRuns(list, postings[0]).entries()) {
    const limit = wanted - rows.length;
    const statement = list.budget.count(() => {
      const selected = select(run, index, limit);
      if (!list.withDocuments) {
        return sql<ScannedRow>`select key, id, item, '' as doc, 0 as bytes from (${selected}) as found`;
      }
      // The rows stay in their order, because the items are looked up one after the other.
      return sql<ScannedRow>`
        select found.key, found.id, found.item, doc, octet_length(doc) as bytes from (${selected}) as found
        ${list.dialect.lookUp({ table: "content", item: sql`found.item`, isLeft: true })}
      `;
    });
    for (const { item, ...row } of await list.db.all(statement, list.budget)) {
      if (item === null) return { rows, end: { key: row.key, id: row.id } };
      rows.push({ ...row, item });
    }
    if (rows.length === wanted) break;
  }
  return { rows };
}

/** How the items of a run are tested. */
interface RunTests {
  /** The columns that the tests read. */
  readonly columns: SqlText;
  readonly tests: readonly Condition[];
  /** Maximum number of rows to find. */
  readonly limit: number;
  /** Maximum number of items to test. */
  readonly size: number;
}

/**
 * Selects the next items of a run that meet the tests, and after them the last item tested, which has no document.
 * That item is missing if there are enough rows, or if the run ends before. One statement reads one state of the
 * database.
 */
function selectTested(run: OrderRun, { columns, tests, limit, size }: RunTests): SqlText {
  const selected = sql`select ${run.key} as key, ${columns} ${fromRun(run)}`;
  if (tests.length === 0) return sql`${selected} limit ${limit}`;
  return sql`
    select key, id, sort_time, item from (${selected} limit ${size}) as source where ${allOf(tests)}
    union all
    select key, id, sort_time, null from (${selected} limit 1 offset ${size - 1}) as last
    limit ${limit}
  `;
}

/**
 * Selects the first items of several runs together, like {@link selectTested}. An item may be in all of them. Rows after
 * the first item without a document may be incomplete.
 */
function mergePostings(runs: readonly OrderRun[], scan: RunTests): SqlText {
  const [{ orderBy } = { orderBy: ID }] = runs;
  const entries = runs.map(
    (run) => sql`select key, id, sort_time, item from (${selectTested(run, scan)}) as entry`,
  );
  return sql`
    select key, id, item
    from (select distinct * from (${join(entries, " union all ")}) as entry) as source
    order by ${orderBy}, item nulls last limit ${scan.limit}
  `;
}

/** A contiguous piece of the list's order that one index yields. A scan reads its runs one after the other. */
interface OrderRun {
  /** The table, to be read as `source`. */
  readonly table: "content" | "content_value";
  /** The sort key; null for items without a time. */
  readonly key: SqlText;
  readonly conditions: readonly Condition[];
  readonly orderBy: SqlText;
  /** True for the remaining items with the key of the place. */
  readonly isTie?: boolean;
}

function fromRun({ table, conditions, orderBy }: OrderRun): SqlText {
  return sql`from ${raw(table)} as source where ${allOf(conditions)} order by ${orderBy}`;
}

/** Selects the time or id of the entry some way behind a place in a posting list; null if the list ends before. */
export function selectKeyAhead(
  list: PartitionList,
  posting: PostingList,
  distance: number,
): SqlText {
  const run = toOrderRuns(list, posting).find(({ isTie }) => !isTie);
  if (run === undefined) return sql`null`;
  const key = list.order.field === "id" ? ID : sql`source.sort_time`;
  return sql`(select ${key} ${fromRun(run)} limit 1 offset ${distance})`;
}

const ID = sql`source.id`;
const UNSET = raw(`${UNSET_TIME}`);

/** Splits the list's order after a place into runs: of the partition, or of one posting list if it has that order. */
function toOrderRuns(list: PartitionList, posting: PostingList | undefined): readonly OrderRun[] {
  const { after } = list;
  const { field, direction } = list.order;
  const table = posting === undefined ? "content" : "content_value";
  const conditions =
    posting === undefined
      ? inPartition(list)
      : inPostingLists({ path: posting.path, values: [posting.value] }, list);
  if (field === "id") {
    // Items without a time are sorted by id in their posting lists.
    const timeless = sql`source.sort_time = ${UNSET}`;
    const entries = posting === undefined ? conditions : [...conditions, timeless];
    return [toIdRun(table, entries, direction, after)];
  }
  const column = findTimeColumn(field);
  if (column === undefined) throw new Error("an order by values is scanned in batches");
  return toTimeRuns(list, { table, column, conditions });
}

/** Rows sorted by a time: a partition, or one posting list. */
interface TimeSource {
  readonly table: "content" | "content_value";
  readonly column: TimeColumn;
  readonly conditions: readonly Condition[];
}

/** Splits an order by a time; unset times come last, by id. */
function toTimeRuns(
  { order, bounds, after }: PartitionList,
  { table, column, conditions }: TimeSource,
): readonly OrderRun[] {
  const time = raw(`source.${column}`);
  const key = sql`nullif(${time}, ${UNSET})`;
  const toRun = (behind: readonly Condition[], direction = sql``): OrderRun => ({
    table,
    key,
    conditions: [...conditions, ...behind],
    orderBy: sql`${time} ${direction}, ${ID}`,
  });
  const within = isWithin(time, bounds);
  if (order.direction === "asc") {
    if (after === undefined) return [toRun(within)];
    const behind = sql`(${time}, ${ID}) > (${after.key ?? UNSET}, ${after.id})`;
    return [toRun([...within, behind])];
  }
  const isUnset = sql`${time} = ${UNSET}`;
  const toUnset = (behind: readonly Condition[]) =>
    bounds === undefined ? [toRun([isUnset, ...behind])] : [];
  if (after === undefined) {
    return [toRun([sql`${time} < ${UNSET}`, ...within], DESCENDING), ...toUnset([])];
  }
  const later = sql`${ID} > ${after.id}`;
  if (after.key === null) return toUnset([later]);
  return [
    { ...toRun([sql`${time} = ${after.key}`, later]), isTie: true },
    toRun([sql`${time} < ${after.key}`, ...within], DESCENDING),
    ...toUnset([]),
  ];
}

const DESCENDING = sql`desc`;

function toIdRun(
  table: "content" | "content_value",
  conditions: readonly Condition[],
  direction: "asc" | "desc",
  after: ListPlace | undefined,
): OrderRun {
  const beyond = direction === "asc" ? sql`>` : sql`<`;
  const behind = after === undefined ? [] : [sql`${ID} ${beyond} ${after.id}`];
  return {
    table,
    key: sql`null`,
    conditions: [...conditions, ...behind],
    orderBy: sql`${ID} ${raw(direction)}`,
  };
}
