import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compareCodePoints,
  matchesPattern,
  parseDecimal,
  parseInstant,
  parseInstantBound,
  parseKql,
  parseRangeBound,
} from "../../../src/domain/kql/index.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("kql/values");

each<[string, string?]>("a timestamp becomes canonical UTC text", (text, want) => {
  expect(parseInstant(text)).toBe(want);
});

describe("a bound becomes a point in time", () => {
  const now = Date.parse("2026-06-11T18:30:15.250Z");

  each<[string, string?]>("a bound becomes a point in time", (text, want) => {
    expect(parseInstantBound(text, now)).toBe(want);
  });

  test("now has no meaning without a clock", () => {
    expect(parseInstantBound("now", undefined)).toBeUndefined();
    expect(parseInstantBound("now", Number.NaN)).toBeUndefined();
  });

  test("now before 1970 keeps its fraction", () => {
    expect(parseInstantBound("now", -1)).toBe("1969-12-31T23:59:59.999");
    expect(parseInstantBound("now/d", -1)).toBe("1969-12-31T00:00:00");
  });
});

test("instants order as their times do", () => {
  const millis = fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(3000, 0) });
  fc.assert(
    fc.property(millis, millis, (left, right) => {
      const texts = [left, right].map((time) => parseInstant(new Date(time).toISOString()) ?? "");
      const [first = "", second = ""] = texts;
      expect(Math.sign(compareCodePoints(first, second))).toBe(Math.sign(left - right));
    }),
    { numRuns: 200 },
  );
});

each<[string, number?]>("a decimal literal", (text, want) => {
  expect(parseDecimal(text)).toBe(want);
});

test("texts order by code points", () => {
  const codePoints = (text: string) => Array.from(text, (character) => character.codePointAt(0));
  const text = fc.string({ unit: "binary", maxLength: 4 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const [a, b] = [codePoints(left), codePoints(right)];
      const at = a.findIndex((codePoint, index) => codePoint !== b[index]);
      const want = at < 0 ? a.length - b.length : (a[at] ?? -1) - (b[at] ?? -1);
      expect(Math.sign(compareCodePoints(left, right))).toBe(Math.sign(want));
    }),
    { numRuns: 500 },
  );
  expect(compareCodePoints("🏀", "｡")).toBeGreaterThan(0);
});

test("a pattern agrees with trying every split", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 });
  const matchesSlowly = (parts: readonly string[], text: string): boolean => {
    const [first = "", ...rest] = parts;
    if (rest.length === 0) return text === first;
    if (!text.startsWith(first)) return false;
    const tail = text.slice(first.length);
    const cuts = Array.from({ length: tail.length + 1 }, (_, cut) => tail.slice(cut));
    return cuts.some((suffix) => matchesSlowly(rest, suffix));
  };
  const parts = fc.array(letters, { minLength: 1, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 9 });
  fc.assert(
    fc.property(parts, text, (pattern, subject) => {
      expect(matchesPattern(pattern, subject)).toBe(matchesSlowly(pattern, subject));
    }),
    { numRuns: 2000 },
  );
});

test("two thousand stars match a long text quickly", () => {
  const parts = Array<string>(2000).fill("a");
  expect(matchesPattern(parts, "a".repeat(100_000))).toBe(true);
  expect(matchesPattern([...parts, "b"], "a".repeat(100_000))).toBe(false);
});

each<[string, object]>("the bound of a range says what it compares with", (filter, want) => {
  const node = parseKql(filter);
  if (node.type !== "range") throw new Error("not a range");
  expect(parseRangeBound(node.value, 0)).toEqual(want);
});
