import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchKql, parseKql, printKql } from "../../../src/domain/kql/index.ts";
import { FilterableDocument, prepareFilter } from "../../../src/domain/protection/filter.ts";
import { plainTree } from "../kql/arbitraries.ts";
import { readCases } from "../kql/fixtures.ts";
import { NOW } from "./build.ts";

interface MatchCase {
  readonly filter: string;
  readonly document: JsonValue;
  readonly now?: string;
  readonly want: boolean;
}

function matches(text: string, document: JsonValue, now = NOW): boolean {
  const filter = prepareFilter(text);
  return filter !== undefined && new FilterableDocument(document).matches(filter, now);
}

describe("a document is matched as KQL matches it", () => {
  for (const { filter, document, now, want } of readCases<MatchCase>("match")) {
    if (filter.trim() === "") continue;
    test(`${filter} ${want ? "takes" : "leaves"} ${JSON.stringify(document)}`, () => {
      const clock = now === undefined ? Number.NaN : Date.parse(now);
      expect(matches(filter, document, clock)).toBe(want);
    });
  }

  test("whatever the filter", () => {
    const scalar = fc.oneof(
      fc.constantFrom("a", "b c", "10", "10.0", "true", "2026-06-11T18:00:00Z"),
      fc.constantFrom<JsonValue>(10, -0, 0.5, true, false, null),
    );
    const document = fc.dictionary(
      fc.constantFrom("f", "a", "10", "or x"),
      fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constant("g"), scalar)),
    );
    const ofFields = fc
      .array(
        fc.tuple(
          fc.constantFrom("f", "a", "f.g"),
          fc.constantFrom(
            "a",
            "10",
            "1e1",
            "-0",
            "true",
            '"b c"',
            "null",
            '"2026-06-11T20:00:00+02:00"',
          ),
          fc.constantFrom(" and ", " or ", " and not "),
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((clauses) => clauses.map(([name, value, join]) => `${name}: ${value}${join}`).join(""))
      .map((text) => text.replace(/ (and|or|and not) $/, ""));
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.oneof(ofFields, plainTree.map(printKql)), document, (text, json) => {
        fc.pre(text.trim() !== "");
        const want = matchKql(parseKql(text), json, NOW);
        seen[`${want}`] += 1;
        expect(matches(text, json)).toBe(want);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(100);
  });
});

test("blank text is no filter", () => {
  for (const text of ["", " ", "\t\n"]) expect(prepareFilter(text)).toBeUndefined();
});
