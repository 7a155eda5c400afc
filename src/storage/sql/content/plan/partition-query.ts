import type { Kysely, RawBuilder } from "kysely";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { runCounted } from "../../counted.ts";
import type { Schema } from "../../schema.ts";
import type { ListValue } from "../filter/form-values.ts";
import type { ListPlan } from "./list-plan.ts";
import { PlannedStatement, type StatementValues } from "./planned-statement.ts";

/** A listed item with its place in the list's order. */
export interface ListedRow extends ContentPlace {
  readonly doc: string;
}

/** Runs the statements of a plan that list one partition. */
export class PartitionQuery {
  readonly plan: ListPlan;
  readonly budget: WorkBudget;
  readonly #db: Kysely<Schema>;
  readonly #values: StatementValues;

  constructor(db: Kysely<Schema>, plan: ListPlan, values: StatementValues, budget: WorkBudget) {
    this.plan = plan;
    this.budget = budget;
    this.#db = db;
    this.#values = values;
  }

  /** Compiles a statement, whose parameters may be slots. */
  compile<T>(query: RawBuilder<T>): PlannedStatement<T> {
    return new PlannedStatement(query.compile(this.#db));
  }

  /** Runs a statement that reads after a place, and charges its time to the budget. */
  run<T>(
    statement: PlannedStatement<T>,
    after: ContentPlace | undefined,
    values: Partial<Record<ListValue, number | string>>,
  ): readonly T[] | Promise<readonly T[]> {
    const { filter, list } = this.#values;
    const place = after && {
      afterId: after.id,
      ...(after.key !== null && { afterKey: after.key }),
    };
    const query = statement.bind({ filter, list: { ...list, ...place, ...values } });
    return runCounted(this.#db, this.budget, query);
  }
}
