import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../../../src/domain/errors.ts";
import {
  composeFilter,
  type FilterParts,
  parseKql,
  printKql,
} from "../../../src/domain/kql/index.ts";
import { plainTree } from "./arbitraries.ts";
import { withoutSpans } from "./fixtures.ts";

interface ComposeCase extends Partial<FilterParts> {
  readonly name: string;
  readonly want: string;
  readonly dropped?: readonly { readonly key: string; readonly reason: string }[];
}

describe("a filter and its clauses compose", () => {
  test.each<ComposeCase>([
    { name: "nothing at all", want: "" },
    { name: "a filter alone, as typed", filter: " a:1  or b: 2 ", want: "a:1  or b: 2" },
    {
      name: "a clause after the filter",
      filter: "content_type: match",
      clauses: { season: "fields.season.id: {season.id}" },
      session: { season: { id: "s1" } },
      want: 'content_type: match AND fields.season.id: "s1"',
    },
    {
      name: "a clause without a filter before it",
      filter: " \n",
      clauses: { season: "f:{season}" },
      session: { season: 7 },
      want: "f:7",
    },
    {
      name: "an array as a list",
      filter: "a: 1",
      clauses: { s: "f: {s.id}" },
      session: { s: [{ id: "x" }, { id: "y" }] },
      want: 'a: 1 AND f: ("x" OR "y")',
    },
    {
      name: "free text of an array",
      filter: "a: 1",
      clauses: { s: "{s}" },
      session: { s: ["x", "y"] },
      want: 'a: 1 AND ("x" OR "y")',
    },
    {
      name: "brackets around a top-level or on either side",
      filter: "a: 1 or b: 2",
      clauses: { s: "c: {s} or d: {s}" },
      session: { s: 3 },
      want: "(a: 1 or b: 2) AND (c: 3 or d: 3)",
    },
    {
      name: "no brackets where the or is bracketed already",
      filter: "( a: 1 or b: 2 )",
      clauses: { s: "c: (1 or 2)", t: "not (d: 1 or d: 2)", u: "p:{ x: 1 or y: 2 }" },
      session: { s: 1, t: 1, u: 1 },
      want: "( a: 1 or b: 2 ) AND c: (1 or 2) AND not (d: 1 or d: 2) AND p:{ x: 1 or y: 2 }",
    },
    {
      name: "brackets where each side of the or is bracketed",
      filter: "(a: 1) or (b: 2)",
      clauses: { s: "c: 1" },
      session: { s: 1 },
      want: "((a: 1) or (b: 2)) AND c: 1",
    },
    {
      name: "no brackets around an or that stands alone",
      clauses: { s: "a: 1 or b: 2" },
      session: { s: 1 },
      want: "a: 1 or b: 2",
    },
    {
      name: "brackets where a last word would become an operator",
      filter: "a: x and",
      clauses: { s: "tags: not", t: "city: Portland", u: "or x" },
      session: { s: 1, t: 1, u: 1 },
      want: "(a: x and) AND (tags: not) AND city: Portland AND or x",
    },
    {
      name: "clauses in the order of their keys by code points",
      clauses: { b: "x: b", "🏀": "x: ball", "｡": "x: dot", B: "x: B", a: "x: a" },
      session: { a: 1, b: 1, B: 1, "🏀": 1, "｡": 1 },
      want: "x: B AND x: a AND x: b AND x: dot AND x: ball",
    },
    {
      name: "a clause without a placeholder while its key is set",
      filter: "a: 1",
      clauses: { live: "status: live", off: "b: 1", gone: "c: 1", "a.b": "d: 1", toString: "e: 1" },
      session: { live: false, off: null, "a.b": "" },
      want: "a: 1 AND d: 1 AND status: live",
      dropped: [
        { key: "gone", reason: "KEY_UNSET" },
        { key: "off", reason: "KEY_UNSET" },
        { key: "toString", reason: "KEY_UNSET" },
      ],
    },
    {
      name: "whole clauses dropped where any placeholder fails",
      filter: "a: 1",
      clauses: {
        a: "f: {a} or g: {missing}",
        b: "f: {b}",
        c: "f: {c}",
        d: "f: {d}",
        e: "f: {e}",
        f: "f: {f} x: y",
        g: "f: {g b}",
      },
      session: { a: 1, b: null, c: {}, d: [], e: Array(300).fill(1), f: 1, g: 1 },
      want: "a: 1",
      dropped: [
        { key: "a", reason: "UNSET" },
        { key: "b", reason: "NULL" },
        { key: "c", reason: "OBJECT" },
        { key: "d", reason: "EMPTY_ARRAY" },
        { key: "e", reason: "TOO_LARGE" },
        { key: "f", reason: "MALFORMED" },
        { key: "g", reason: "MALFORMED" },
      ],
    },
    {
      name: "false, zero and the empty text as values",
      clauses: { a: "f: {a}", b: "g: {b}", c: "h: {c}" },
      session: { a: false, b: 0, c: "" },
      want: 'f: false AND g: 0 AND h: ""',
    },
    {
      name: "a blank clause as nothing",
      filter: "a: 1",
      clauses: { s: "  " },
      session: { s: 1 },
      want: "a: 1",
    },
    {
      name: "a hostile value as a value",
      filter: "visibility: public",
      clauses: { s: "f: {s}" },
      session: { s: 'x" OR visibility: "{s}' },
      want: String.raw`visibility: public AND f: "x\" OR visibility: \"\u007bs}"`,
    },
    {
      name: "blanks that are none of the language's as text",
      filter: "\u2003",
      clauses: { s: "a: 1" },
      session: { s: 1 },
      want: "\u2003 AND a: 1",
    },
  ])("$name", ({ name, want, dropped = [], ...parts }) => {
    const got = composeFilter({ filter: "", clauses: {}, session: {}, ...parts });
    expect(got).toEqual({ filter: want, dropped });
  });

  test("to the conjunction of the parts, whatever they are", () => {
    fc.assert(
      fc.property(plainTree, plainTree, plainTree, (base, first, second) => {
        const clauses = { a: printKql(first), b: printKql(second) };
        const got = composeFilter({ filter: printKql(base), clauses, session: { a: 1, b: 1 } });
        const items = [base, first, second].flatMap((node) =>
          node.type === "and" ? node.items : [node],
        );
        const want = { type: "and", items, span: { start: 0, end: 0 } } as const;
        expect(got.dropped).toEqual([]);
        expect(withoutSpans(parseKql(got.filter))).toEqual(withoutSpans(want));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a filter that cannot be composed is refused", () => {
  const compose = (filter: string, clause: string) => () =>
    composeFilter({ filter, clauses: { s: clause }, session: { s: 1 } });

  test("when the filter is malformed or still holds a placeholder", () => {
    for (const filter of ["a: (", "a: x{s}"]) {
      expect(compose(filter, "b: 1")).toThrow(DomainError);
      expect(compose(filter, "b: 1")).toThrow(expect.objectContaining({ reason: "KQL_SYNTAX" }));
    }
  });

  test("when the whole is past a limit that its parts keep", () => {
    const half = (8_192 - " AND ".length - 1) / 2;
    expect(compose("a".repeat(half), "b".repeat(half + 1))).not.toThrow();
    expect(compose("a".repeat(half + 1), "b".repeat(half + 1))).toThrow(
      expect.objectContaining({ reason: "KQL_LIMIT" }),
    );
  });
});
