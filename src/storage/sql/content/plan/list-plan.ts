import { LRUCache } from "lru-cache";
import {
  type ContentKind,
  type ContentOrder,
  DEFAULT_ORDERS,
} from "../../../../domain/content/order.ts";
import type { Dialect } from "../../dialect.ts";
import type { FilterForm, WordForm } from "../filter/filter-form.ts";
import type { Slot } from "../filter/form-values.ts";
import type { TimeBounds } from "../filter/time-bounds.ts";
import { type FilterPlan, planFilter } from "./access-paths.ts";

/** All that the SQL of a list depends on, as plain data. */
export interface ListForm {
  readonly kind: ContentKind;
  readonly order: ContentOrder;
  readonly filter: FilterForm | undefined;
  /** The words of the search. */
  readonly words: readonly WordForm[];
  /** The bounds that the filter sets to the time that the list is ordered by. */
  readonly bounds: TimeBounds<Slot> | undefined;
}

/** The most plans cached, and the longest form of which a plan is. */
const MOST_PLANS = 500;
const LONGEST_FORM = 8_192;

/** The most that a plan keeps of what was made for it. */
const MOST_MADE = 100;

/** How lists of one form are read: the parts of the filter, and the statements compiled so far. */
export class ListPlan {
  readonly form: ListForm;
  readonly filter: FilterPlan;
  readonly dialect: Dialect;
  /** True for the default order, in which posting lists are sorted. */
  readonly isPostingOrder: boolean;
  readonly #made = new LRUCache<string, object>({ max: MOST_MADE });

  constructor(form: ListForm, dialect: Dialect) {
    this.form = form;
    this.filter = planFilter(form.filter, form.words);
    this.dialect = dialect;
    this.isPostingOrder = form.order.field === DEFAULT_ORDERS[form.kind].field;
  }

  /**
   * Returns what `make` made for a name the first time. The name must tell all that it depends on besides the
   * form.
   */
  once<T extends object>(name: string, make: () => T): T {
    const known = this.#made.get(name);
    if (known !== undefined) return known as T;
    const value = make();
    this.#made.set(name, value);
    return value;
  }
}

/** Caches plans by the forms of their lists, those used last. */
export class PlanCache {
  readonly dialect: Dialect;
  readonly #plans = new LRUCache<string, ListPlan>({ max: MOST_PLANS });

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** Returns the plan of a form. */
  find(form: ListForm): ListPlan {
    const key = JSON.stringify(form);
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = new ListPlan(form, this.dialect);
    if (key.length <= LONGEST_FORM) this.#plans.set(key, plan);
    return plan;
  }
}
