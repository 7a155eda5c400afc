import { setImmediate } from "node:timers/promises";
import type { Steps } from "../../domain/base/steps.ts";
import { WorkBudget } from "../../domain/base/work-budget.ts";

/** Runs work that no budget of a call counts in steps, and lets other requests run between two of them. */
export function runInTurns<T>(steps: Steps<T>): Promise<T> {
  const budget = new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
  return budget.run(steps);
}
