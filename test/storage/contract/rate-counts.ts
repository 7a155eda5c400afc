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
