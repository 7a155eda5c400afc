import { describe, expect, test } from "vitest";
import { isCountryCode } from "../../../src/domain/content/country-codes.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("content/country-codes");

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const ALL = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  isCountryCode,
);

describe("the codes of ISO 3166-1 alpha-2", () => {
  test("are 249", () => expect(ALL.length).toBe(249));

  test("are all regions that ICU has a name for", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    const unknown = ALL.filter((code) => names.of(code) === undefined);
    expect(unknown).toEqual([]);
  });

  each<[string]>("a code of ISO 3166-1 alpha-2", (code) => {
    expect(isCountryCode(code)).toBe(true);
  });

  const others = ["AN", "EU", "UK", "XK", "AC", "SU", "ZZ", "AA", "QO", "YU", "TP", "DD"];
  test.each([...others, "", "D", "DEU", "de", "De", "D ", " DE", "DÉ", "276"])(
    "%j is none",
    (code) => {
      expect(isCountryCode(code)).toBe(false);
    },
  );
});
