import type { Kysely } from "kysely";
import type { ContentKind, ContentOrder } from "../../../../domain/content/order.ts";
import { compareCodePoints, type KqlNode } from "../../../../domain/kql/index.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Schema } from "../../schema.ts";
import { toBoundsForm, toFilterForm } from "../filter/filter-form.ts";
import { FormValues } from "../filter/form-values.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import {
  choosePaths,
  countPaths,
  findMostSelective,
  type ScanChoice,
  skipCounts,
  toTogether,
} from "./count-access-paths.ts";
import type { PlanCache } from "./list-plan.ts";
import { OrderScan } from "./order-scan.ts";
import { type ListedRow, PartitionQuery } from "./partition-query.ts";
import { sortMatches } from "./top-n-sort.ts";

/** A list of one collection. */
export interface ListOptions {
  readonly kind: ContentKind;
  readonly collection: number;
  /** Each is a partition of its own. */
  readonly visibilities: readonly number[];
  readonly filter: KqlNode | undefined;
  /** A query of the full-text index. */
  readonly search: string | undefined;
  readonly order: ContentOrder;
  readonly limit: number;
  readonly after: ContentPlace | undefined;
  /** Unix milliseconds. */
  readonly now: number;
  readonly budget: WorkBudget;
}

/** The rows of a page, and the start of the next page if there may be one. */
export interface ListedPage {
  readonly rows: readonly ListedRow[];
  readonly next: ContentPlace | undefined;
}

/** Lists a page of items from the partitions of a collection. */
export async function listPartitions(
  db: Kysely<Schema>,
  plans: PlanCache,
  { kind, collection, visibilities, filter, search, order, limit, after, now, budget }: ListOptions,
): Promise<ListedPage> {
  const { dialect } = plans;
  const values = new FormValues();
  const bounds = filter && findTimeBounds(filter, order.field, now);
  const plan = plans.find({
    kind,
    order,
    filter: filter && toFilterForm(filter, { values, now, dialect }),
    hasSearch: search !== undefined,
    bounds: bounds && toBoundsForm(bounds, values),
  });
  const listed = values.list();
  const pages: PartitionPage[] = [];
  for (const visibility of visibilities) {
    const list = {
      collection,
      visibility,
      ...(search !== undefined && {
        search,
        partitionSearch: dialect.search.narrow(search, { collection, visibility }),
      }),
    };
    const query = new PartitionQuery(db, plan, { filter: listed, list }, budget);
    pages.push(await listPartition(query, after, limit + 1));
  }
  return mergePartitions(pages, order, limit);
}

/** The rows of one partition after a place. */
export interface PartitionPage {
  readonly rows: readonly ListedRow[];
  /** The place where reading stopped; absent at the end of the partition, or with as many rows as wanted. */
  readonly end?: ContentPlace;
}

/** As many matches are sorted in less time than a scan takes. */
const CHEAP_SORT = 100;

/** More matches are never sorted, however long the scan. */
const LARGEST_SORT = 40_000;

/** Items that a step of a scan tests: the first without counts, the first with them, the longest. */
const FIRST_STEP = 256;
const COUNTED_STEP = 1_600;
const LONGEST_STEP = 4_000;

/** A step tests at most so many times the items of the one before. */
const MOST_GROWTH = 8;

/** One statement reads at most so many documents. */
const MOST_ROWS = 250;

const { statement: STATEMENT, sort: SORT } = WORK_LIMITS;

/**
 * Lists the first items of one partition after a place, choosing between an order scan and a top-N sort as it
 * goes; see the README. Stops when the budget is spent, after at least one step. The thresholds hold for an
 * item cost of 1.
 */
async function listPartition(
  query: PartitionQuery,
  after: ContentPlace | undefined,
  limit: number,
): Promise<PartitionPage> {
  const { budget, plan } = query;
  const cost = plan.filter.itemCost;
  const rows: ListedRow[] = [];
  let end = after;
  let { together } = plan;
  let paths = plan.countsFirst && !plan.walksFirst ? undefined : skipCounts(plan, together);
  if (paths === undefined) together = undefined;
  const isLong = paths === undefined || together !== undefined;
  let size = Math.ceil((isLong ? COUNTED_STEP : FIRST_STEP) / cost);
  /** So many matches are sorted rather than scanned for; counts go no further. */
  let sortLimit = CHEAP_SORT;
  paths ??= await countPaths(query, after, sortLimit);
  let choice: ScanChoice = { chosen: undefined, beside: undefined };
  let scan: OrderScan | undefined;
  let scanned = 0;
  do {
    if (paths.some(({ count }) => count === 0)) return { rows };
    const selective = findMostSelective(paths, sortLimit);
    if (selective !== undefined) {
      plan.countsFirst = true;
      rows.push(...(await sortMatches(query, paths, selective, end, limit - rows.length)));
      return { rows };
    }
    if (scan === undefined) {
      choice = choosePaths(paths, plan, together);
      scan = new OrderScan(query, { paths, ...choice }, end);
    }
    await budget.nextStep();
    const before = budget.spent;
    const wanted = Math.min(limit - rows.length, MOST_ROWS);
    const step = await scan.step(wanted, size);
    rows.push(...step.rows);
    if (scanned === 0) {
      plan.countsFirst = !isLong && step.end !== undefined;
      plan.together = step.end === undefined ? toTogether(choice, plan) : undefined;
    }
    if (step.end === undefined) {
      const last = rows.at(-1);
      if (step.rows.length < wanted || rows.length === limit || last === undefined) return { rows };
      end = { key: last.key, id: last.id };
      scan = undefined;
      continue;
    }
    end = step.end;
    scanned += size;
    const took = budget.spent - before;
    const itemsPerMs = size / took;
    // A statement has a cost of its own: a slow one may get faster per item with more items.
    const fitting =
      size * (took > STATEMENT ? 0.5 : Math.min(Math.max(2, STATEMENT / took), MOST_GROWTH));
    /** The items to scan until the page is full, if matches remain as frequent as they were. */
    const expected = ((limit - rows.length) * scanned) / Math.max(rows.length, 0.5);
    const next = Math.min(Math.max(COUNTED_STEP / cost, expected), LONGEST_STEP);
    size = Math.ceil(Math.min(next, fitting));
    // Sorting an item takes about as long as scanning two.
    const sortable = Math.min(expected / 2, LARGEST_SORT / cost, (itemsPerMs / 2) * SORT);
    if (expected * cost > LONGEST_STEP / 2 && sortable > 2 * sortLimit) {
      sortLimit = Math.ceil(sortable);
      paths = await countPaths(query, end, sortLimit);
      together = undefined;
      scan = undefined;
    }
  } while (!budget.isSpent);
  return { rows, ...(end !== undefined && { end }) };
}

/**
 * Merges pages of partitions, each read for one item more than the limit. Returns nothing after the first
 * place at which a partition stopped.
 */
export function mergePartitions(
  pages: readonly PartitionPage[],
  order: ContentOrder,
  limit: number,
): ListedPage {
  const compare = (a: ContentPlace, b: ContentPlace) => comparePlaces(order, a, b);
  const rows = pages.flatMap((page) => page.rows);
  if (pages.length > 1) rows.sort(compare);
  const [end] = pages.flatMap((page) => page.end ?? []).toSorted(compare);
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0);
  const shown = known.slice(0, limit);
  return { rows: shown, next: known.length > limit ? shown.at(-1) : end };
}

/** Compares two places in an order; items without a value come last, by id. */
function comparePlaces(
  { field, direction }: ContentOrder,
  a: ContentPlace,
  b: ContentPlace,
): number {
  const sign = direction === "asc" ? 1 : -1;
  const byId = compareCodePoints(a.id, b.id);
  if (field === "id") return sign * byId;
  if (a.key === b.key) return byId;
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
  return sign * compareKeys(a.key, b.key);
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareCodePoints(`${a}`, `${b}`);
}
