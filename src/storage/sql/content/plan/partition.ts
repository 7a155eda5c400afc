import { WORK_LIMITS, type WorkBudget } from "../../../../domain/base/work-budget.ts";
import type { ContentOrder } from "../../../../domain/content/order.ts";
import { readStoredFields } from "../../../../domain/content/stored-fields.ts";
import {
  createKqlSteps,
  KqlDocument,
  type KqlNode,
  type KqlSteps,
} from "../../../../domain/kql/index.ts";
import type { ListedRow, ListPlace, PartitionPage } from "../../../content/places.ts";
import type { Condition } from "../../../db/sql-text.ts";
import { areTestedInMemory, listTests, type PartitionList, type Section } from "./clauses.ts";
import { countClauses, findMostSelective, findScan, needsCounts } from "./count-clauses.ts";
import type { IndexRange } from "./index-ranges.ts";
import { type PostingList, type ScanStep, scanOrder } from "./order-scan.ts";
import { sortMatches } from "./top-n-sort.ts";
import { isByValue, scanValues, toPlaceAt } from "./value-scan.ts";

/** The number of matches that are sorted in less time than a scan takes. */
const CHEAP_SORT = 100;

/** Maximum number of matches that are sorted, however long the scan. */
const LARGEST_SORT = 40_000;

/** The items that the first step of a scan tests, and the longest. */
const FIRST_STEP = 256;
const LONGEST_STEP = 4_000;

/**
 * The items that the first step reads for each wanted one if the list has no clauses. Their windows may be closed, and in
 * an order by values the last value may have further items.
 */
const READ_OF_WANTED = 3;

/**
 * The growth of each step, as a multiple of the previous one. A step that took too long is followed by one of half
 * its size.
 */
const GROWTH = 6;

/**
 * Lists the first items of one partition after a place, choosing between an order scan and a top-N sort at each step;
 * see the README. The thresholds are for an item cost of 1.
 */
export async function listPartition(list: PartitionList): Promise<PartitionPage> {
  const { budget, limit } = list;
  const itemCost = list.costs.item;
  const bounds = boundStatements(list);
  const { mostItems } = bounds;
  const rows: ListedRow[] = [];
  let { after, clauses } = list;
  /** The items that the next step tests, and the items that earlier steps have tested. */
  const first = clauses.length === 0 ? limit * READ_OF_WANTED : FIRST_STEP;
  let size = Math.min(mostItems, Math.ceil(first / itemCost));
  let scanned = 0;
  /** The bytes of the documents that were read: a page has no more than its limit. */
  let bytes = 0;
  /** Fewer matches are sorted instead of scanned for; counts stop here. */
  let sortLimit = Math.min(CHEAP_SORT, mostItems);
  let expectedMs = expectTime(list, bounds, size);
  let plan: StepPlan | undefined;
  if (needsCounts(list)) clauses = await countClauses(list, sortLimit);
  do {
    if (clauses.some(({ count }) => count === 0)) return { rows };
    await budget.nextStep(expectedMs);
    const start = budget.spent;
    if (plan === undefined) plan = budget.count(() => planSteps({ ...list, clauses }, sortLimit));
    const rest = { ...list, after, clauses, limit: limit - rows.length };
    const step = await readStep(rest, plan, bounds, size);
    rows.push(...step.rows);
    for (const row of step.rows) bytes += row.bytes;
    after = step.end;
    if (rows.length === limit || after === undefined) return { rows };
    expectedMs = budget.spent - start;
    if (step.scanned === undefined) continue;
    scanned += step.scanned;
    /** The items to scan until the page is full, if matches stay as frequent as before. */
    const expected = ((limit - rows.length) * scanned) / Math.max(rows.length, 0.5);
    const sortableInTime = (size / expectedMs) * WORK_LIMITS.sort;
    // Sorting an item takes about as long as scanning two.
    const sortable = Math.min(expected / 2, sortableInTime / 2, LARGEST_SORT / itemCost, mostItems);
    const grown = expectedMs > WORK_LIMITS.statement ? size / 2 : size * GROWTH;
    size = Math.ceil(Math.min(grown, LONGEST_STEP, mostItems));
    if (expected * itemCost > LONGEST_STEP / 2 && sortable > 2 * sortLimit) {
      sortLimit = Math.ceil(sortable);
      clauses = await countClauses({ ...list, after }, sortLimit);
      plan = undefined;
    }
  } while (!budget.isSpent && bytes <= WORK_LIMITS.bytes);
  return { rows, ...(after !== undefined && { end: after }) };
}

/** The rows of one step, and the place after it unless it has reached the end of the partition. */
interface Step {
  readonly rows: readonly ListedRow[];
  readonly end: ListPlace | undefined;
  /** The number of items tested; undefined if the rows do not show how frequent matches are. */
  readonly scanned: number | undefined;
}

/** How the steps of a list find items and test them, until its clauses are counted again. */
interface StepPlan {
  /** The ranges of a clause whose matches are sorted; absent: the list is scanned in its order. */
  readonly sorted?: readonly IndexRange[];
  /** The posting lists that a scan reads. */
  readonly postings: readonly PostingList[];
  /** The tests in SQL. */
  readonly tests: readonly Condition[];
  /** The filter, if SQL does not test all of it. */
  readonly inMemory: KqlNode | undefined;
}

/** Plans to sort the matches of the most selective clause if they are fewer than `sortLimit`, otherwise to scan. */
function planSteps(list: PartitionList, sortLimit: number): StepPlan {
  const { clauses, conditions, filter } = list;
  const selective = findMostSelective(clauses, sortLimit);
  const { clause, postings } = findScan(list);
  const finder = selective ?? clause;
  return {
    ...(selective?.ranges && { sorted: selective.ranges }),
    postings,
    tests: [...listTests(clauses, finder, list), ...conditions],
    inMemory: areTestedInMemory(clauses, finder) ? filter : undefined,
  };
}

/** Sorts all matches, or scans `size` items. */
async function readStep(
  list: PartitionList,
  { sorted, postings, tests, inMemory: test }: StepPlan,
  { mostRows }: StatementBounds,
  size: number,
): Promise<Step> {
  const { budget, limit, now } = list;
  const withDocuments = list.withDocuments || test !== undefined;
  const mostFound = withDocuments ? mostRows : LONGEST_STEP / Math.max(1, postings.length);
  const wanted = Math.max(1, Math.floor(Math.min(test ? size : limit, mostFound)));
  const scan = isByValue(list.order) ? scanValues : scanOrder;
  const read = { ...list, withDocuments };
  const { rows, end, section }: ScanStep = sorted
    ? { rows: await sortMatches(read, sorted, tests, wanted) }
    : await scan(read, tests, { wanted, size }, postings);
  if (section !== undefined) return await readSection(list.order, section, size);
  const last = rows.length < wanted ? end : rows.at(-1);
  const scanned = end === undefined ? rows.length : size;
  if (test === undefined) return { rows, end: last, scanned: end && scanned };
  const tested = await testRows(rows, createKqlSteps(test, now), limit, budget);
  return { rows: tested.rows, end: tested.end ?? last, scanned };
}

/** Reads a section of an order by values. */
async function readSection(
  order: ContentOrder,
  { list, value, end }: Section,
  size: number,
): Promise<Step> {
  const page = await listPartition(list);
  const rows = page.rows.map((row) => toPlaceAt(order, value, row));
  if (page.end !== undefined) {
    return { rows, end: toPlaceAt(order, value, page.end), scanned: undefined };
  }
  // A value with fewer entries than a step tests is not a section.
  return { rows, end, scanned: size };
}

/** Maximum time of a statement, if it tests the largest items only, in milliseconds. */
const LONGEST_MS = 50;

/** Maximum number of documents that one statement reads, and about how many of their characters. */
const MOST_ROWS = 250;
const MOST_CHARACTERS = 2_097_152;

/** Maximum time of a test of cost 1: in total, for a value of the item and for a character, in milliseconds. */
const TEST_MS = { item: 0.002, value: 0.000_15, character: 0.000_003 };

/** The same for a node in memory, and for reading the document. */
const NODE_MS = { value: 0.000_03, character: 0.000_02 };

/** Maximum time of reading an item or testing it for a word, in milliseconds. */
const WORD_MS = 0.004;

/** Maximum time of reading the window of an item found by words, which is stored after its document, for a character. */
const WINDOW_MS = 0.000_000_6;

/** Maximum work of one statement, by the largest items of the collection. */
interface StatementBounds {
  /** Maximum number of items that it tests. */
  readonly mostItems: number;
  /** Maximum number of documents that it reads. */
  readonly mostRows: number;
  /** Maximum time of an item in SQL, and in memory, in milliseconds. */
  readonly itemMs: number;
  readonly rowMs: number;
}

function boundStatements({ largest, costs, open, words }: PartitionList): StatementBounds {
  const { values, characters } = largest;
  const testMs = TEST_MS.item + values * TEST_MS.value + characters * TEST_MS.character;
  const windowMs = open.length === 0 ? 0 : characters * WINDOW_MS;
  const wordMs = words.length === 0 ? 0 : (1 + words.length) * WORD_MS + windowMs;
  const itemMs = costs.inSql * testMs + wordMs;
  return {
    mostItems: Math.max(1, Math.floor(LONGEST_MS / itemMs)),
    mostRows: Math.max(1, Math.min(MOST_ROWS, MOST_CHARACTERS / characters)),
    itemMs,
    rowMs: costs.nodes * values * NODE_MS.value + characters * NODE_MS.character,
  };
}

/** Returns the maximum time of the first step, in milliseconds. */
function expectTime({ clauses }: PartitionList, bounds: StatementBounds, size: number): number {
  const { itemMs, mostRows, rowMs } = bounds;
  const rowsRead = areTestedInMemory(clauses, undefined) ? Math.min(size, mostRows) : 0;
  return size * itemMs + rowsRead * rowMs;
}

/** Minimum time for testing rows before a spent budget ends the list, in milliseconds. */
const LEAST_MS = 1;

/** Tests rows until enough are found or the budget is spent; the place of the last tested row is then the end. */
async function testRows(
  rows: readonly ListedRow[],
  test: KqlSteps,
  limit: number,
  budget: WorkBudget,
): Promise<ScanStep> {
  const found: ListedRow[] = [];
  const start = budget.spent;
  for (const row of rows) {
    await budget.nextStep();
    const steps = budget.count(() => test(new KqlDocument(readStoredFields(row.doc))));
    if (await budget.run(steps)) found.push(row);
    const isStopped = budget.isSpent && budget.spent - start >= LEAST_MS;
    if (found.length === limit || isStopped) return { rows: found, end: row };
  }
  return { rows: found };
}
