import { type RawBuilder, sql } from "kysely";
import { compareCodePoints } from "../../../../domain/kql/index.ts";
import { Statement } from "../../../db/query.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { anyOf, type Condition } from "../filter/conditions.ts";
import { nameRanges, type ProbedPath, testsWithout } from "./clause-tests.ts";
import { hasPosting } from "./index-ranges.ts";
import type { ListPlan } from "./list-plan.ts";
import {
  fromRun,
  LIMIT,
  type OrderRun,
  type PageForm,
  SIZE,
  toOrderRuns,
  toPageForm,
} from "./order-runs.ts";
import type { ListedRow, PartitionQuery } from "./partition-query.ts";
import { intersect, isAmongFirst, type Stop } from "./posting-intersection.ts";
import { mergePostingLists } from "./posting-merge.ts";

/** The rows of one step of a scan. */
export interface ScanStep {
  readonly rows: readonly ListedRow[];
  /** The place where the step stopped; absent at the end of the order, or with as many rows as wanted. */
  readonly end?: ContentPlace;
}

/** A row, or without a document the last item tested. */
interface ScannedRow extends ContentPlace {
  readonly doc: string | null;
}

/** What a scan reads. */
export interface ScanPaths {
  readonly paths: readonly ProbedPath[];
  /** The path whose posting list is read in the place of the partition. */
  readonly chosen: ProbedPath | undefined;
  /** The path whose posting list is read beside that one, where it is not much denser. */
  readonly beside: ProbedPath | undefined;
}

/** The statements that read a run. */
interface ScannedRun {
  readonly statement: Statement<ScannedRow>;
  /** True if the statement reads an index backwards, so that items of one time are not in the list's order. */
  readonly isBackwards?: boolean;
  /** Reads the same items from two posting lists, up to a stop. */
  readonly intersection?: {
    readonly stop: Statement<Stop>;
    readonly statement: Statement<ScannedRow>;
  };
}

/** Reads a partition in the list's order, along one or two posting lists if chosen, testing each item. */
export class OrderScan {
  readonly #query: PartitionQuery;
  readonly #paths: ScanPaths;
  /** Names what the statements depend on. */
  readonly #name: string;
  #after: ContentPlace | undefined;

  constructor(query: PartitionQuery, all: ScanPaths, after: ContentPlace | undefined) {
    const { paths, chosen, beside } = all;
    this.#query = query;
    this.#paths = all;
    const read = [chosen, beside].map((it) => (it === undefined ? "" : paths.indexOf(it)));
    this.#name = `${read.join("&")} of ${nameRanges(paths)}`;
    this.#after = after;
  }

  /** Continues until `wanted` items are found or about `size` are tested. */
  async step(wanted: number, size: number): Promise<ScanStep> {
    const rows: ListedRow[] = [];
    for (const run of this.#prepare()) {
      const limit = wanted - rows.length;
      const read = await this.#read(run, limit, size);
      for (const { key, id, doc } of read.rows) {
        if (doc === null) {
          this.#after = { key, id };
          return { rows, end: this.#after };
        }
        rows.push({ key, id, doc });
      }
      if (rows.length === wanted) break;
      if (read.rest !== undefined) {
        this.#after = read.rest;
        const { rows: others, ...end } = await this.step(wanted - rows.length, size);
        return { rows: [...rows, ...others], ...end };
      }
    }
    return { rows };
  }

  /** Reads a run from both posting lists where that takes a bounded time, otherwise by testing its items. */
  async #read(
    { statement, isBackwards, intersection }: ScannedRun,
    limit: number,
    size: number,
  ): Promise<ReadRows> {
    if (isBackwards) {
      // A row more tells whether all items of the last time are read.
      const rows = await this.#query.run(statement, this.#after, { limit: limit + 1, size });
      return toListOrder(rows, limit);
    }
    const [stop] = intersection
      ? await this.#query.run(intersection.stop, this.#after, { size })
      : [];
    const rows = await (intersection && stop
      ? this.#query.run(intersection.statement, this.#after, { limit, ...stop })
      : this.#query.run(statement, this.#after, { limit, size }));
    return { rows };
  }

  /** Returns the statements of the runs after the last place. */
  #prepare(): readonly ScannedRun[] {
    const page = toPageForm(this.#after);
    const { plan } = this.#query;
    return plan.once(`scan ${page} ${this.#name}`, () => {
      const lists = this.#paths.chosen?.postingLists ?? [];
      if (lists.flatMap(({ values }) => values).length <= 1) return this.#toRuns(page);
      const merged = mergePostingLists(plan, lists, page);
      return merged.map((run) => ({ statement: new Statement(() => run) }));
    });
  }

  #toRuns(page: PageForm): readonly ScannedRun[] {
    const { plan } = this.#query;
    const { paths, chosen, beside } = this.#paths;
    const read = chosen === undefined ? [] : [chosen];
    const tests = testsWithout(read, paths, plan);
    const otherTests = testsWithout(
      read,
      paths.filter((it) => it !== beside),
      plan,
    );
    const otherLists = beside?.postingLists ?? [];
    const otherRuns = otherLists.map((list) => toOrderRuns(plan, list, page));
    return toOrderRuns(plan, chosen?.postingLists?.[0], page).map((run, index): ScannedRun => {
      const compile = (read: TestedItems, conditions: readonly Condition[]) =>
        new Statement(() => selectTested(read, conditions, plan));
      const others = otherRuns.flatMap((runs) => runs[index] ?? []);
      if (others.length > 0 && !plan.dialect.intersectsInOrder) {
        const postings = otherLists.map((list) => hasPosting(list, plan.dialect));
        const isAmong = isAmongFirst(run, others, anyOf(postings));
        return { statement: compile(toItems(run), [isAmong, ...otherTests]) };
      }
      const [other] = others;
      const both = other && intersect(run, other);
      const backwards =
        both === undefined && plan.dialect.readsBackwards ? run.backwards : undefined;
      const read = backwards === undefined ? run : { ...run, orderBy: backwards };
      const runTests = run.isOfRun === undefined ? tests : [run.isOfRun, ...tests];
      const statement =
        runTests.length === 0
          ? new Statement(() => selectRun(read, plan))
          : compile(toItems(read), runTests);
      if (both === undefined) return { statement, isBackwards: backwards !== undefined };
      const stop = new Statement(() => both.stop);
      return { statement, intersection: { stop, statement: compile(both, otherTests) } };
    });
  }
}

/** Rows in the list's order. */
interface ReadRows {
  readonly rows: readonly ScannedRow[];
  /** The place from which the limit is still to be reached; absent: the rows are all that there is to read. */
  readonly rest?: ContentPlace;
}

/**
 * Puts rows that were read backwards, one more than the limit, in the list's order: those of one time by id. The rows of
 * the last time are left out if there may be others of it: the list continues in front of them.
 */
function toListOrder(read: readonly ScannedRow[], limit: number): ReadRows {
  const last = read.at(-1);
  const isEnd = last === undefined || (read.length <= limit && last.doc !== null);
  const rows = isEnd ? [...read] : read.filter(({ key }) => key !== last.key);
  if (rows.some(({ key }, index) => key === rows[index + 1]?.key)) {
    rows.sort((a, b) => Number(b.key) - Number(a.key) || compareCodePoints(a.id, b.id));
  }
  if (isEnd || rows.length === limit) return { rows };
  const rest = { key: last.key, id: "" };
  return last.doc === null ? { rows: [...rows, { ...rest, doc: null }] } : { rows, rest };
}

/** Reads a run. */
function selectRun(run: OrderRun, { dialect }: ListPlan): RawBuilder<ScannedRow> {
  const { table, key } = run;
  // The join comes after the limit, so that only the page's documents are read.
  return table === "content"
    ? sql`select ${key} as key, source.id, source.doc ${fromRun(run)} limit ${LIMIT}`
    : sql`
        select source.key, source.id, doc
        from (select ${key} as key, source.id as id, source.item as item ${fromRun(run)} limit ${LIMIT}) as source
        ${dialect.lookUp({ table: "content", item: sql`source.item` })}
        order by ${run.orderOf}
      `;
}

/** The items that a statement tests, and the place of the last one. */
interface TestedItems {
  readonly items: RawBuilder<unknown>;
  readonly last: RawBuilder<unknown>;
}

/** Selects the next items of a run. */
function toItems(run: OrderRun): TestedItems {
  return {
    items: sql`
      select ${run.key} as key, source.id, source.sort_time, source.item ${fromRun(run)} limit ${SIZE}
    `,
    last: sql`select ${run.key} as key, source.id ${fromRun(run)} limit 1 offset ${SIZE} - 1`,
  };
}

/**
 * Reads the items that meet the conditions, and after them the last item tested, without a document: it is
 * not reached if there are enough rows, and does not exist if the run ends before. One statement reads one
 * state of the database.
 */
function selectTested(
  { items, last }: TestedItems,
  tests: readonly Condition[],
  { dialect }: ListPlan,
): RawBuilder<ScannedRow> {
  const where = tests.length === 0 ? sql`` : sql`where ${sql.join(tests, sql` and `)}`;
  return sql`
    select found.key, found.id, doc
    from (
      select key, id, item from (${items}) as source ${where}
      union all
      select key, id, null from (${last}) as last
      limit ${LIMIT}
    ) as found
    ${dialect.lookUp({ table: "content", item: sql`found.item`, isLeft: true })}
  `;
}
