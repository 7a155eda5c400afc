import { type ContextValues, createContextKey } from "@connectrpc/connect";
import type { WorkBudget } from "../domain/work-budget.ts";

const UNSET = Symbol("unset");

/** The one budget of a call, over all that is read for its answer. */
export const workBudgetKey = createContextKey<WorkBudget | typeof UNSET>(UNSET);

/** Gets the call's budget. */
export function getWorkBudget(values: ContextValues): WorkBudget {
  const budget = values.get(workBudgetKey);
  if (budget === UNSET) throw new Error("the call has no work budget");
  return budget;
}
