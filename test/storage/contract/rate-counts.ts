import { expect } from "vitest";
import { createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds that the requests of all processes are added up by minute and key. */
export function rateCountContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("added counts are returned as totals", data, async ({ rateCounts }) => {
    expect(await rateCounts.add(7, new Map([["a", 2]]))).toEqual(new Map([["a", 2]]));
    const more = new Map(Object.entries({ b: 5, a: 3 }));
    expect(await rateCounts.add(7, more)).toEqual(new Map(Object.entries({ a: 5, b: 5 })));
    expect(await rateCounts.add(7, new Map())).toEqual(new Map());
  });

  scenario("a later minute begins anew, and forgets the earlier", data, async ({ rateCounts }) => {
    await rateCounts.add(7, new Map([["a", 2]]));
    expect(await rateCounts.add(8, new Map([["a", 1]]))).toEqual(new Map([["a", 1]]));
    expect(await rateCounts.add(7, new Map([["a", 1]]))).toEqual(new Map([["a", 1]]));
  });

  scenario("an addition deletes a bounded number of earlier ones", data, async ({ rateCounts }) => {
    const many = new Map(Array.from({ length: 2_500 }, (_, index) => [`key-${index}`, 1]));
    await rateCounts.add(7, many);
    // The counts of a minute that are left are read again by adding nothing to them.
    const countLeft = async () => {
      const totals = await rateCounts.add(7, new Map([...many.keys()].map((key) => [key, 0])));
      return [...totals.values()].filter((total) => total > 0).length;
    };
    await rateCounts.add(8, new Map([["a", 1]]));
    expect(await countLeft()).toBe(1_500);
    // Twice as many as it adds: the earlier ones become fewer with any number of clients.
    await rateCounts.add(8, new Map([...many.keys()].slice(0, 600).map((key) => [key, 1])));
    expect(await countLeft()).toBeLessThanOrEqual(1_500);
  });

  scenario("thousands of keys are added at once", data, async ({ rateCounts }) => {
    const keys = Array.from({ length: 2_500 }, (_, index) => `key-${index}`);
    const counts = new Map(keys.map((key, index) => [key, index + 1]));
    expect(await rateCounts.add(7, counts)).toEqual(counts);
    const twice = new Map(keys.map((key, index) => [key, 2 * (index + 1)]));
    expect(await rateCounts.add(7, counts)).toEqual(twice);
  });

  scenario("concurrent additions lose nothing", data, async ({ rateCounts }) => {
    const [forth, back] = [
      ["a", "b", "c"],
      ["c", "b", "a"],
    ].map((keys) => new Map(keys.map((key) => [key, 1])));
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        rateCounts.add(7, (index % 2 === 0 ? forth : back) ?? new Map()),
      ),
    );
    expect(await rateCounts.add(7, new Map([["a", 0]]))).toEqual(new Map([["a", 40]]));
  });
}
