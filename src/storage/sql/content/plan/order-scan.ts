import { type RawBuilder, sql } from "kysely";
import { Statement } from "../../../db/query.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Condition } from "../filter/conditions.ts";
import { nameRanges, type ProbedPath, testsWithout } from "./clause-tests.ts";
import type { PostingLists } from "./index-ranges.ts";
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

/** Reads a partition in the list's order, along a posting list if one is chosen, testing each item. */
export class OrderScan {
  readonly #query: PartitionQuery;
  readonly #paths: readonly ProbedPath[];
  readonly #chosen: ProbedPath | undefined;
  #after: ContentPlace | undefined;

  /** `chosen` is the path whose posting list is read instead of the partition. */
  constructor(
    query: PartitionQuery,
    paths: readonly ProbedPath[],
    chosen: ProbedPath | undefined,
    after: ContentPlace | undefined,
  ) {
    this.#query = query;
    this.#paths = paths;
    this.#chosen = chosen;
    this.#after = after;
  }

  /** Continues until `wanted` items are found or about `size` are tested. */
  async step(wanted: number, size: number): Promise<ScanStep> {
    const rows: ListedRow[] = [];
    for (const statement of this.#prepare()) {
      const limit = wanted - rows.length;
      for (const { key, id, doc } of await this.#query.run(statement, this.#after, {
        limit,
        size,
      })) {
        if (doc === null) {
          this.#after = { key, id };
          return { rows, end: this.#after };
        }
        rows.push({ key, id, doc });
      }
      if (rows.length === wanted) break;
    }
    return { rows };
  }

  /** Returns the statements of the runs after the last place. */
  #prepare(): readonly Statement<ScannedRow>[] {
    const page = toPageForm(this.#after);
    const chosen = this.#chosen;
    const { plan } = this.#query;
    const index = chosen === undefined ? "" : this.#paths.indexOf(chosen);
    return plan.once(`scan ${page} ${index} of ${nameRanges(this.#paths)}`, () => {
      const lists = chosen?.postingLists ?? [];
      if (lists.flatMap(({ values }) => values).length > 1) {
        return mergePostingLists(plan, lists, page).map((run) => new Statement(() => run));
      }
      const tests = testsWithout(chosen === undefined ? [] : [chosen], this.#paths, plan);
      return toOrderRuns(plan, lists[0], page).map((run) => {
        const runTests = run.isOfRun === undefined ? tests : [run.isOfRun, ...tests];
        return new Statement(() =>
          runTests.length === 0 ? selectRun(run, plan) : selectTested(run, runTests, plan),
        );
      });
    });
  }
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

/**
 * Reads the next items of a run that meet the conditions, and after them the last item tested, without a document: it
 * is not reached if there are enough rows, and does not exist if the run ends before. One statement reads one
 * state of the database.
 */
function selectTested(
  run: OrderRun,
  tests: readonly Condition[],
  { dialect }: ListPlan,
): RawBuilder<ScannedRow> {
  const from = fromRun(run);
  return sql`
    select found.key, found.id, doc
    from (
      select key, id, item
      from (select ${run.key} as key, source.id, source.sort_time, source.item ${from} limit ${SIZE}) as source
      where ${sql.join(tests, sql` and `)}
      union all
      select key, id, null from (select ${run.key} as key, source.id ${from} limit 1 offset ${SIZE} - 1) as last
      limit ${LIMIT}
    ) as found
    ${dialect.lookUp({ table: "content", item: sql`found.item`, isLeft: true })}
  `;
}

/**
 * Merges posting lists: writes, for each run of the order after a place, a query of their first items together.
 * Reads of each list at most as many entries as are wanted, as an item may be in all of them.
 */
export function mergePostingLists(
  plan: ListPlan,
  lists: readonly PostingLists[],
  page: PageForm,
): readonly RawBuilder<ListedRow>[] {
  return toOrderRuns(plan, lists[0], page).map(({ key, orderBy }, index) => {
    const entries = lists.map(({ path, values }) =>
      plan.dialect.forEach(values, (value) => {
        const run = toOrderRuns(plan, { path, values: [value] }, page)[index];
        if (run === undefined) throw new Error("posting lists have the same runs");
        return sql`select source.sort_time, source.id, source.item ${fromRun(run)} limit ${LIMIT}`;
      }),
    );
    return sql<ListedRow>`
      select ${key} as key, source.id, doc
      from (
        select distinct source.sort_time, source.id, source.item
        from (${sql.join(entries, sql` union all `)}) as source order by ${orderBy} limit ${LIMIT}
      ) as source
      ${plan.dialect.lookUp({ table: "content", item: sql`source.item` })}
      order by ${orderBy}
    `;
  });
}
