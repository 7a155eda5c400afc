import { expect, test } from "vitest";
import { fuzzPreviews } from "../../../tools/fuzz/previews.ts";
import { openFresh } from "../../harness/fresh-store.ts";

// A sample of `npm run fuzz`, which compares far more.

test("a read through releases equals the public read after they are applied", async () => {
  const { errors, applied, rejected } = await fuzzPreviews({ openFresh, cases: 150, seed: 15 });
  expect(errors).toEqual([]);
  expect(applied).toBeGreaterThan(rejected);
});
