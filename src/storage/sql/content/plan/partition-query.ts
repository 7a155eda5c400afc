import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { Db } from "../../../db/db.ts";
import type { Statement } from "../../../db/query.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { ListValue } from "../filter/form-values.ts";
import type { ListPlan } from "./list-plan.ts";

/** A listed item with its place in the list's order. */
export interface ListedRow extends ContentPlace {
  readonly doc: string;
}

/** The largest items that a collection has or had, by which statements are sized. */
export interface LargestItem {
  /** The scalars of an item. */
  readonly values: number;
  /** The characters of its JSON. */
  readonly characters: number;
}

/** What the statements of a list depend on besides its plan. */
export interface QueryScope {
  readonly values: StatementValues;
  readonly largest: LargestItem;
  readonly budget: WorkBudget;
}

/** The values that the statements of a plan are run with. */
export interface StatementValues {
  /** The values of the filter, by the numbers of their slots. */
  readonly filter: readonly (string | number)[];
  readonly list: Readonly<Partial<Record<ListValue, string | number>>>;
}

/** Runs the statements of a plan that list one partition. */
export class PartitionQuery {
  readonly plan: ListPlan;
  readonly budget: WorkBudget;
  readonly largest: LargestItem;
  readonly #db: Db;
  readonly #values: StatementValues;

  constructor(db: Db, plan: ListPlan, { values, largest, budget }: QueryScope) {
    this.plan = plan;
    this.budget = budget;
    this.largest = largest;
    this.#db = db;
    this.#values = values;
  }

  /** Runs a statement that reads after a place, and charges its time to the budget. */
  run<T>(
    statement: Statement<T>,
    after: ContentPlace | undefined,
    values: Partial<Record<ListValue, number | string>>,
  ): Promise<T[]> {
    const { filter, list } = this.#values;
    const place = after && {
      afterId: after.id,
      ...(after.key !== null && { afterKey: after.key }),
    };
    const named: StatementValues["list"] = { ...list, ...place, ...values };
    const query = statement.bind((slot) =>
      typeof slot === "number" ? filter[slot] : named[slot as ListValue],
    );
    return this.#db.all(query, this.budget);
  }
}
