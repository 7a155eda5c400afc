import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { WorkBudget, type WorkOptions } from "../../../src/domain/base/work-budget.ts";

/** A budget over a clock that only `work` moves, and how often it let others go on. */
function open(options: Partial<WorkOptions> = {}) {
  let time = 0;
  let pauses = 0;
  const budget = new WorkBudget({
    clock: () => time,
    pause: async () => {
      pauses += 1;
      // Others work meanwhile.
      time += 1_000;
    },
    ...options,
  });
  const work = (milliseconds: number) =>
    budget.spend(async () => {
      time += milliseconds;
    });
  return { budget, work, pauses: () => pauses };
}

describe("a budget", () => {
  test("is spent after 500 ms of work, and not a moment before", async () => {
    const { budget, work } = open();
    await work(450);
    budget.count(() => undefined);
    await budget.nextStep();
    await work(49.75);
    expect([budget.spent, budget.isSpent]).toEqual([499.75, false]);
    await work(0.25);
    expect(budget.isSpent).toBe(true);
  });

  test("counts the work of a step that waits for nothing", () => {
    let time = 0;
    const budget = new WorkBudget({ clock: () => time, pause: async () => {} });
    expect(budget.count(() => (time += 7))).toBe(7);
    expect(budget.spent).toBe(7);
  });

  test("lets others go on after 10 ms of work, and then after 10 ms more", async () => {
    const { budget, work, pauses } = open();
    const seen: number[] = [];
    for (const time of [9.5, 0.5, 9.5, 0.5, 30, 0]) {
      await work(time);
      await budget.nextStep();
      seen.push(pauses());
    }
    expect(seen).toEqual([0, 1, 1, 2, 3, 3]);
  });

  test("ends the work when nobody waits for the response", async () => {
    const abort = new AbortController();
    const { budget, work } = open({ signal: abort.signal });
    await work(1);
    await budget.nextStep();
    abort.abort();
    await expect(budget.nextStep()).rejects.toMatchObject({ reason: "CALL_CANCELLED" });
  });

  test("says that a request is expensive before a step that is expected to make it so", async () => {
    let count = 0;
    const onExpensive = () => {
      count += 1;
    };
    const { budget, work } = open({ onExpensive });
    await work(60);
    await budget.nextStep(40);
    expect(count).toBe(0);
    await budget.nextStep(41);
    expect(count).toBe(1);
    await work(100);
    expect(count).toBe(1);
  });

  test("is long once a request has used up its slice, or is expected to be expensive", async () => {
    const { budget, work } = open();
    await budget.nextStep(100);
    expect(budget.isLong).toBe(false);
    await budget.nextStep(101);
    expect(budget.isLong).toBe(true);
    await budget.nextStep(1);
    expect(budget.isLong).toBe(false);
    await work(10);
    expect(budget.isLong).toBe(true);
  });

  test("says once that a request is expensive: after more than 100 ms", async () => {
    let count = 0;
    const onExpensive = () => {
      count += 1;
    };
    const { work } = open({ onExpensive });
    await work(100);
    expect(count).toBe(0);
    await work(0.1);
    await work(100);
    expect(count).toBe(1);
  });
});

test("lists that are read at the same time share the slices of their request", async () => {
  let [now, turn] = [0, 0];
  const budget = new WorkBudget({
    clock: () => now,
    pause: async () => {
      await setImmediate();
      turn += 1;
    },
  });
  const steps: number[] = [];
  const read = async () => {
    for (let step = 0; step < 3; step += 1) {
      await budget.nextStep();
      budget.count(() => {
        now += 6;
        steps[turn] = (steps[turn] ?? 0) + 1;
      });
    }
  };
  await Promise.all(Array.from({ length: 10 }, read));
  // Two steps of 6 ms use up a slice of 10 ms.
  expect(steps).toEqual(Array.from({ length: 15 }, () => 2));
});
