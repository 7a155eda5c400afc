import { setImmediate } from "node:timers/promises";
import { WorkBudget } from "../../../domain/base/work-budget.ts";

/** Creates a budget for a list outside of requests. */
export function createListBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}
