import { WorkBudget, type WorkOptions } from "../../src/domain/base/work-budget.ts";

/** Creates a budget that so many steps use up: each takes a millisecond of its clock. */
export function createSlowBudget(steps: number, options: Partial<WorkOptions> = {}): WorkBudget {
  return new WorkBudget({
    clock: createTicks(1),
    pause: async () => {},
    limit: steps,
    ...options,
  });
}

/** Creates a budget that no stall of the machine uses up: pages of its lists are full. */
export function createEndlessBudget(): WorkBudget {
  return new WorkBudget({ clock: () => 0, pause: async () => {} });
}

/** Creates a clock that goes on by so many milliseconds whenever it is looked at. */
export function createTicks(milliseconds: number): () => number {
  let time = 0;
  return () => {
    time += milliseconds;
    return time;
  };
}
