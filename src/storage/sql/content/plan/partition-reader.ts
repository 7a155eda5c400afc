import { readStoredFields } from "../../../../domain/content/stored-fields.ts";
import type { KqlSteps } from "../../../../domain/kql/index.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { isTestedInMemory } from "./access-paths.ts";
import {
  type CountedPath,
  countPaths,
  findMostSelective,
  findOtherWords,
  findSparsest,
  listUncounted,
} from "./count-access-paths.ts";
import { OrderScan, type ScanStep } from "./order-scan.ts";
import type { LargestItem, ListedRow, PartitionQuery } from "./partition-query.ts";
import { sortMatches } from "./top-n-sort.ts";

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

/** The items that the first step of a scan tests, and the longest. */
const FIRST_STEP = 256;
const LONGEST_STEP = 4_000;

/** A step tests so many times the items of the one before, or half of them if that took too long. */
const GROWTH = 6;

/**
 * Lists the first items of one partition after a place, choosing between an order scan and a top-N sort as it
 * goes; see the README. The thresholds hold for an item cost of 1.
 */
export class PartitionReader {
  readonly #query: PartitionQuery;
  readonly #limit: number;
  readonly #test: KqlSteps | undefined;
  readonly #bounds: StatementBounds;
  readonly #rows: ListedRow[] = [];
  /** The place behind which the next step reads. */
  #end: ContentPlace | undefined;
  #paths: readonly CountedPath[] = [];
  #scan: OrderScan | undefined;
  /** The items that the next step tests. */
  #size: number;
  /** So many matches are sorted rather than scanned for; counts go no further. */
  #sortLimit: number;
  #scanned = 0;

  /** `test` is absent where SQL tests all clauses. */
  constructor(
    query: PartitionQuery,
    after: ContentPlace | undefined,
    limit: number,
    test: KqlSteps | undefined,
  ) {
    this.#query = query;
    this.#end = after;
    this.#limit = limit;
    this.#test = test;
    this.#bounds = boundStatements(query);
    const { mostItems } = this.#bounds;
    this.#size = Math.min(mostItems, Math.ceil(FIRST_STEP / query.plan.filter.itemCost));
    this.#sortLimit = Math.min(CHEAP_SORT, mostItems);
  }

  /** Reads until the page is full or the budget is spent, at least one step. */
  async read(): Promise<PartitionPage> {
    const { budget, plan } = this.#query;
    const { itemMs, rowMs, mostRows } = this.#bounds;
    this.#paths = listUncounted(plan) ?? (await this.#count());
    let expectedMs =
      this.#size * itemMs + (this.#test === undefined ? 0 : Math.min(this.#size, mostRows) * rowMs);
    do {
      if (this.#paths.some(({ count }) => count === 0)) return { rows: this.#rows };
      await budget.nextStep(expectedMs);
      const start = budget.spent;
      const isScanned = await this.#step();
      if (this.#rows.length === this.#limit || this.#end === undefined) return { rows: this.#rows };
      expectedMs = budget.spent - start;
      if (isScanned) await this.#adapt(expectedMs);
    } while (!budget.isSpent);
    return { rows: this.#rows, ...(this.#end !== undefined && { end: this.#end }) };
  }

  /** Counts what the access paths find behind the place. */
  #count(): Promise<readonly CountedPath[]> {
    return countPaths(this.#query, this.#end, this.#sortLimit);
  }

  /**
   * Reads further rows, and moves the place behind what is read, or to the end of the partition. Returns false if the
   * rows tell nothing about how frequent matches are, because they are as many as one statement reads.
   */
  async #step(): Promise<boolean> {
    const { budget, plan, largest } = this.#query;
    const { filter, form } = plan;
    const selective = findMostSelective(this.#paths, this.#sortLimit);
    const source = selective ?? findSparsest(this.#paths, form.order.direction);
    const test = isTestedInMemory(filter, source?.path) ? this.#test : undefined;
    const limit = this.#limit - this.#rows.length;
    const wanted = Math.floor(Math.min(test ? this.#size : limit, this.#bounds.mostRows));
    const step =
      selective === undefined
        ? await this.#scanAlong(source).step(wanted, this.#size)
        : { rows: await this.#sort(selective, wanted) };
    const tested = test
      ? await testRows(step.rows, { test, limit, largest, nodes: filter.nodes, budget })
      : step;
    this.#rows.push(...tested.rows);
    const last = step.rows.length < wanted ? step.end : step.rows.at(-1);
    const place = tested.end ?? last;
    this.#end = place && { key: place.key, id: place.id };
    if (step.end === undefined) this.#scan = undefined;
    if (step.end === undefined && test === undefined) return false;
    this.#scanned += step.end === undefined ? step.rows.length : this.#size;
    return true;
  }

  /** Continues the scan, or begins one along the posting list of a path, or along the partition. */
  #scanAlong(chosen: CountedPath | undefined): OrderScan {
    this.#scan ??= new OrderScan(this.#query, this.#paths, chosen, this.#end);
    return this.#scan;
  }

  /** Sorts all that a selective path finds; if it is a word, with all other selective ones. */
  #sort(selective: CountedPath, wanted: number): Promise<readonly ListedRow[]> {
    const words = findOtherWords(this.#paths, selective, this.#sortLimit);
    return sortMatches(this.#query, this.#paths, [selective, ...words], this.#end, wanted);
  }

  /**
   * Sizes the next step by the milliseconds that the last one took. If the scan would be longer than a sort, counts the
   * paths again, up to what may be sorted in time.
   */
  async #adapt(took: number): Promise<void> {
    const { itemCost: cost } = this.#query.plan.filter;
    const { mostItems } = this.#bounds;
    const itemsPerMs = this.#size / took;
    const grown = took > WORK_LIMITS.statement ? this.#size / 2 : this.#size * GROWTH;
    this.#size = Math.ceil(Math.min(grown, LONGEST_STEP, mostItems));
    /** The items to scan until the page is full, if matches remain as frequent as they were. */
    const expected =
      ((this.#limit - this.#rows.length) * this.#scanned) / Math.max(this.#rows.length, 0.5);
    // Sorting an item takes about as long as scanning two.
    const sortable = Math.min(
      expected / 2,
      LARGEST_SORT / cost,
      (itemsPerMs / 2) * WORK_LIMITS.sort,
      mostItems,
    );
    if (expected * cost <= LONGEST_STEP / 2 || sortable <= 2 * this.#sortLimit) return;
    this.#sortLimit = Math.ceil(sortable);
    this.#paths = await this.#count();
    this.#scan = undefined;
  }
}

/** The time that a statement may take if it tests the largest items only, in milliseconds. */
const LONGEST_MS = 50;

/** One statement reads at most so many documents, and about so many characters of them. */
const MOST_ROWS = 250;
const MOST_CHARACTERS = 2_097_152;

/** The most time that a test of cost 1 takes: in all, for a value of the item and for a character, in milliseconds. */
const TEST_MS = { item: 0.002, value: 0.000_15, character: 0.000_003 };

/** The same of a node in memory, and of reading the document. */
const NODE_MS = { value: 0.000_03, character: 0.000_02 };

/** The most time that reading an item takes, or testing it for a word. */
const WORD_MS = 0.004;

/** How much one statement may read, by the largest items of the collection. */
interface StatementBounds {
  /** The most items that it tests. */
  readonly mostItems: number;
  /** The most documents that it reads. */
  readonly mostRows: number;
  /** The most time that an item takes in SQL, and in memory, in milliseconds. */
  readonly itemMs: number;
  readonly rowMs: number;
}

function boundStatements({ plan, largest }: PartitionQuery): StatementBounds {
  const { testCost, nodes } = plan.filter;
  const words = plan.form.words.length;
  const testMs =
    TEST_MS.item + largest.values * TEST_MS.value + largest.characters * TEST_MS.character;
  const itemMs = testCost * testMs + (words === 0 ? 0 : (1 + words) * WORD_MS);
  return {
    mostItems: Math.max(1, Math.floor(LONGEST_MS / itemMs)),
    mostRows: Math.max(1, Math.min(MOST_ROWS, MOST_CHARACTERS / largest.characters)),
    itemMs,
    rowMs: nodes * largest.values * NODE_MS.value + largest.characters * NODE_MS.character,
  };
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
    const steps = budget.count(() => test(readStoredFields(row.doc)));
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
