import { describe, expect, test } from "vitest";
import { fuzzStudio, tryValid } from "../../tools/fuzz/studio.ts";
import { openFresh } from "../harness/fresh-store.ts";

// A sample of `npm run fuzz`, which sends far more.

/** Each request is checked by several others, on a machine that may have other things to do; in milliseconds. */
const LONG = 300_000;

describe("studio behind the checks of fields", () => {
  test(
    "every method has a valid request to mutate",
    async () => {
      expect(await tryValid(openFresh)).toEqual([]);
    },
    LONG,
  );

  test(
    "responds to mutations of valid requests as it should",
    async () => {
      const { errors, passed, sent } = await fuzzStudio({ openFresh, wanted: 50, seed: 25 });
      expect(errors).toEqual([]);
      expect(passed).toBe(50);
      // Most of what is sent gets that far, or the sample is none of what lies behind.
      expect(passed / sent).toBeGreaterThan(0.3);
    },
    LONG,
  );
});
