import { type RawBuilder, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Condition } from "../filter/conditions.ts";
import type { Slot } from "../filter/form-values.ts";
import { nameRanges, type ProbedPath, testsWithout } from "./clause-tests.ts";
import type { ListPlan } from "./list-plan.ts";
import { LIMIT, type OrderRun, toOrderRuns, toPageForm } from "./order-runs.ts";
import type { ListedRow, PartitionQuery } from "./partition-query.ts";
import type { PlannedStatement } from "./planned-statement.ts";

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

/** The number of items that a statement tests. */
const SIZE: Slot = { slot: "size" };

/** Reads a partition in the list's order, along a posting list if one is chosen, testing each item. */
export class OrderScan {
  readonly #query: PartitionQuery;
  readonly #paths: readonly ProbedPath[];
  readonly #chosen: ProbedPath | undefined;
  /** Names what the statements depend on. */
  readonly #name: string;
  #after: ContentPlace | undefined;

  constructor(
    query: PartitionQuery,
    paths: readonly ProbedPath[],
    chosen: ProbedPath | undefined,
    after: ContentPlace | undefined,
  ) {
    this.#query = query;
    this.#paths = paths;
    this.#chosen = chosen;
    this.#name = `${chosen === undefined ? "" : paths.indexOf(chosen)} of ${nameRanges(paths)}`;
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
  #prepare(): readonly PlannedStatement<ScannedRow>[] {
    const page = toPageForm(this.#after);
    const { plan } = this.#query;
    return plan.once(`scan ${page} ${this.#name}`, () => {
      const tests = testsWithout(this.#chosen?.path, this.#paths, plan);
      return toOrderRuns(plan.form, this.#chosen?.postingList, page).map((run) =>
        this.#query.compile(
          tests.length === 0 ? selectRun(run, plan) : selectTested(run, tests, plan),
        ),
      );
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
 * Reads the next items of a run that meet the conditions, and after them the last item tested, without a
 * document: it is not reached if there are enough rows, and does not exist if the run ends before. One
 * statement reads one state of the database.
 */
function selectTested(
  run: OrderRun,
  tests: readonly Condition[],
  { dialect }: ListPlan,
): RawBuilder<ScannedRow> {
  const ahead = sql`
    select ${run.key} as key, source.id, source.sort_time, source.item ${fromRun(run)} limit ${SIZE}
  `;
  const last = sql`select ${run.key} as key, source.id ${fromRun(run)} limit 1 offset ${SIZE} - 1`;
  return sql`
    select found.key, found.id, doc
    from (
      select key, id, item from (${ahead}) as source where ${sql.join(tests, sql` and `)}
      union all
      select key, id, null from (${last}) as last
      limit ${LIMIT}
    ) as found
    ${dialect.lookUp({ table: "content", item: sql`found.item`, isLeft: true })}
  `;
}

function fromRun({ table, conditions, orderBy }: OrderRun): RawBuilder<unknown> {
  return sql`
    from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)} order by ${orderBy}
  `;
}
