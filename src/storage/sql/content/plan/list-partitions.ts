import type { ContentKind, ContentOrder } from "../../../../domain/content/order.ts";
import {
  compareCodePoints,
  createKqlSteps,
  type KqlNode,
  type KqlSteps,
} from "../../../../domain/kql/index.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../../domain/work-budget.ts";
import type { Db } from "../../../db/db.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { ExistingPaths } from "../filter/existing-paths.ts";
import { toBoundsForm, toFilterForm, toWordForm } from "../filter/filter-form.ts";
import { FormValues } from "../filter/form-values.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import { readFields } from "../stored-content.ts";
import { isTestedInMemory } from "./access-paths.ts";
import {
  type CountedPath,
  choosePaths,
  countPaths,
  findMostSelective,
  findOtherWords,
  type ScanChoice,
  skipCounts,
  toTogether,
} from "./count-access-paths.ts";
import type { PlanCache } from "./list-plan.ts";
import { OrderScan, type ScanStep } from "./order-scan.ts";
import { type LargestItem, type ListedRow, PartitionQuery } from "./partition-query.ts";
import { sortMatches } from "./top-n-sort.ts";

/** A list of one collection. */
export interface ListOptions {
  readonly kind: ContentKind;
  readonly collection: number;
  /** Each is a partition of its own. */
  readonly visibilities: readonly number[];
  readonly filter: KqlNode | undefined;
  /** The words of a search. */
  readonly words: readonly string[];
  /** The paths at or below the fields that the filter wants to exist. */
  readonly existing: ExistingPaths;
  readonly largest: LargestItem;
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
  db: Db,
  plans: PlanCache,
  options: ListOptions,
): Promise<ListedPage> {
  const { kind, collection, visibilities, filter, words, order, limit, after, now } = options;
  const { existing, largest, budget } = options;
  const { dialect } = plans;
  const values = new FormValues();
  const bounds = filter && findTimeBounds(filter, order.field, now);
  const plan = plans.find({
    kind,
    order,
    filter: filter && toFilterForm(filter, { values, now, dialect, existing }),
    words: words.map((word) => toWordForm(word, values)),
    bounds: bounds && toBoundsForm(bounds, values),
  });
  const listed = values.list();
  const test = filter && plan.filter.inMemory.size > 0 ? createKqlSteps(filter, now) : undefined;
  const pages: PartitionPage[] = [];
  for (const visibility of visibilities) {
    const query = new PartitionQuery(db, plan, {
      values: { filter: listed, list: { collection, visibility } },
      largest,
      budget,
    });
    pages.push(await listPartition(query, after, limit + 1, test));
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

/** One statement reads at most so many documents, and about so many characters of them. */
const MOST_ROWS = 250;
const MOST_CHARACTERS = 2_097_152;

/** The time that a statement may take if it tests the largest items only, in milliseconds. */
const LONGEST_MS = 50;

/** The most time that a test of cost 1 takes: in all, for a value of the item and for a character, in milliseconds. */
const TEST_MS = { item: 0.002, value: 0.000_15, character: 0.000_003 };

/** The same of a node in memory, and of reading the document. */
const NODE_MS = { value: 0.000_03, character: 0.000_02 };

/** The most time that reading an item takes, or testing it for a word. */
const WORD_MS = 0.004;

const { statement: STATEMENT, sort: SORT } = WORK_LIMITS;

/**
 * Lists the first items of one partition after a place, choosing between an order scan and a top-N sort as it
 * goes; see the README. Stops when the budget is spent, after at least one step. The thresholds hold for an
 * item cost of 1. `test` is absent where SQL tests all clauses.
 */
async function listPartition(
  query: PartitionQuery,
  after: ContentPlace | undefined,
  limit: number,
  test: KqlSteps | undefined,
): Promise<PartitionPage> {
  const { budget, plan, largest } = query;
  const { itemCost: cost, nodes, testCost } = plan.filter;
  const words = plan.form.words.length;
  const { value, character } = TEST_MS;
  const testMs =
    testCost * (TEST_MS.item + largest.values * value + largest.characters * character) +
    (words === 0 ? 0 : (1 + words) * WORD_MS);
  const mostItems = Math.max(1, Math.floor(LONGEST_MS / testMs));
  const mostRows = Math.max(1, Math.min(MOST_ROWS, MOST_CHARACTERS / largest.characters));
  const rows: ListedRow[] = [];
  let end = after;
  let { together } = plan;
  let paths = plan.countsFirst ? undefined : skipCounts(plan, together);
  if (paths === undefined) together = undefined;
  const isLong = paths === undefined || together !== undefined;
  let size = Math.min(mostItems, Math.ceil((isLong ? COUNTED_STEP : FIRST_STEP) / cost));
  /** So many matches are sorted rather than scanned for; counts go no further. */
  let sortLimit = Math.min(CHEAP_SORT, mostItems);
  paths ??= await countPaths(query, after, sortLimit);
  let choice: ScanChoice = { chosen: undefined, beside: undefined };
  let scan: OrderScan | undefined;
  const openScan = (counted: readonly CountedPath[]) => {
    choice = choosePaths(counted, plan, together);
    scan = new OrderScan(query, { paths: counted, ...choice }, end);
    return scan;
  };
  let scanned = 0;
  /** How long the next step is expected to take, in milliseconds. */
  let expectedMs = size * testMs;
  if (test !== undefined) {
    const rowMs = nodes * largest.values * NODE_MS.value + largest.characters * NODE_MS.character;
    expectedMs += Math.min(size, mostRows) * rowMs;
  }
  do {
    if (paths.some(({ count }) => count === 0)) return { rows };
    const selective = findMostSelective(paths, sortLimit);
    if (selective === undefined && scan === undefined) openScan(paths);
    const source = (selective ?? choice.chosen)?.path;
    const ownTest = isTestedInMemory(plan.filter, source) ? test : undefined;
    await budget.nextStep(expectedMs);
    const before = budget.spent;
    const wanted = Math.floor(Math.min(ownTest ? size : limit - rows.length, mostRows));
    const step: ScanStep =
      selective === undefined
        ? await (scan ?? openScan(paths)).step(wanted, size)
        : {
            rows: await sortMatches(
              query,
              paths,
              [selective, ...findOtherWords(paths, selective, sortLimit)],
              end,
              wanted,
            ),
          };
    const tested = ownTest
      ? await testRows(step.rows, {
          test: ownTest,
          limit: limit - rows.length,
          largest,
          nodes,
          budget,
        })
      : step;
    rows.push(...tested.rows);
    const last = step.rows.length < wanted ? step.end : step.rows.at(-1);
    const place = tested.end ?? last;
    const isDone = rows.length === limit || place === undefined;
    if (selective !== undefined) {
      plan.countsFirst = true;
    } else if (scanned === 0) {
      plan.countsFirst = !isLong && !isDone;
      plan.together = isDone ? toTogether(choice, plan) : undefined;
    }
    if (isDone) return { rows };
    end = { key: place.key, id: place.id };
    const took = budget.spent - before;
    expectedMs = took;
    if (step.end === undefined) scan = undefined;
    // As many rows as one statement reads tell nothing about how frequent matches are.
    if (step.end === undefined && ownTest === undefined) continue;
    scanned += step.end === undefined ? step.rows.length : size;
    const itemsPerMs = size / took;
    // A statement has a cost of its own: a slow one may get faster per item with more items.
    const fitting =
      size * (took > STATEMENT ? 0.5 : Math.min(Math.max(2, STATEMENT / took), MOST_GROWTH));
    /** The items to scan until the page is full, if matches remain as frequent as they were. */
    const expected = ((limit - rows.length) * scanned) / Math.max(rows.length, 0.5);
    const next = Math.min(Math.max(COUNTED_STEP / cost, expected), LONGEST_STEP, mostItems);
    size = Math.ceil(Math.min(next, fitting));
    // Sorting an item takes about as long as scanning two.
    const sortable = Math.min(
      ...[expected / 2, LARGEST_SORT / cost, (itemsPerMs / 2) * SORT, mostItems],
    );
    if (expected * cost > LONGEST_STEP / 2 && sortable > 2 * sortLimit) {
      sortLimit = Math.ceil(sortable);
      paths = await countPaths(query, end, sortLimit);
      together = undefined;
      scan = undefined;
    }
  } while (!budget.isSpent);
  return { rows, ...(end !== undefined && { end }) };
}

/** The most time that a clause takes in memory for a value of the item and for a character, in milliseconds. */
const CLAUSE_MS = { value: 0.000_05, character: 0.000_004 };

/** The time for which clauses are tested until others may go on, in milliseconds. */
const TURN_MS = 1;

/** How rows are tested in memory. */
interface RowTest {
  readonly test: KqlSteps;
  /** The most rows to find. */
  readonly limit: number;
  readonly largest: LargestItem;
  /** The number of nodes of the filter. */
  readonly nodes: number;
  readonly budget: WorkBudget;
}

/** Tests rows until as many are found as wanted or the budget is spent, then with the place of the last one tested. */
async function testRows(
  rows: readonly ListedRow[],
  { test, limit, largest, nodes, budget }: RowTest,
): Promise<ScanStep> {
  const found: ListedRow[] = [];
  const clauseMs = largest.values * CLAUSE_MS.value + largest.characters * CLAUSE_MS.character;
  const stepsAtOnce = Math.max(1, Math.floor(TURN_MS / clauseMs));
  const rowsAtOnce = Math.max(1, Math.floor(stepsAtOnce / nodes));
  for (const [index, row] of rows.entries()) {
    await budget.nextStep();
    const steps = budget.count(() => test(readFields(row.doc)));
    const takeSteps = () => {
      for (let count = 1; count < stepsAtOnce; count += 1) {
        const step = steps.next();
        if (step.done) return step;
      }
      return steps.next();
    };
    let tested = budget.count(takeSteps);
    while (!tested.done) {
      await budget.nextStep();
      tested = budget.count(takeSteps);
    }
    if (tested.value) found.push(row);
    const isStopped = budget.isSpent && (index + 1) % rowsAtOnce === 0;
    if (found.length === limit || isStopped) return { rows: found, end: row };
  }
  return { rows: found };
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
