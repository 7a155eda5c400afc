import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../../../src/domain/base/errors.ts";
import {
  composeFilter,
  type FilterParts,
  parseKql,
  printKql,
  SessionClauses,
} from "../../../src/domain/kql/index.ts";
import { readLines } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";
import { plainTree } from "./arbitraries.ts";
import { withoutSpans } from "./fixtures.ts";

interface ComposeCase extends Partial<FilterParts> {
  readonly name: string;
  readonly want: string;
  readonly dropped?: readonly { readonly key: string; readonly reason: string }[];
}

describe("a filter and its clauses compose", () => {
  test.each(readLines<ComposeCase>("kql/compose"))("$name", (composed) => {
    const { name: _, want, dropped = [], ...parts } = composed;
    const got = composeFilter({ filter: "", clauses: {}, session: {}, ...parts });
    expect(got).toEqual({ filter: want, dropped });
  });

  test("without the whole of each clause in which any placeholder fails", () => {
    const fails = "a UNSET, b NULL, c OBJECT, d EMPTY_ARRAY, e TOO_LARGE, f MALFORMED, g MALFORMED";
    const dropped = fails.split(", ").map((it) => it.split(" "));
    const clauses = {
      ...{ a: "f: {a} or g: {missing}", f: "f: {f} x: y", g: "f: {g b}" },
      ...Object.fromEntries(["b", "c", "d", "e"].map((key) => [key, `f: {${key}}`])),
    };
    const session = { a: 1, b: null, c: {}, d: [], e: Array(300).fill(1), f: 1, g: 1 };
    expect(composeFilter({ filter: "a: 1", clauses, session })).toEqual({
      ...{ filter: "a: 1", dropped: dropped.map(([key, reason]) => ({ key, reason })) },
    });
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

describe("a filter that cannot be composed is rejected", () => {
  const compose = (filter: string, clause: string) => () =>
    composeFilter({ filter, clauses: { s: clause }, session: { s: 1 } });

  test("when the filter is malformed or still holds a placeholder", () => {
    for (const filter of ["a: (", "a: x{s}"]) {
      expect(compose(filter, "b: 1")).toThrow(DomainError);
      expect(compose(filter, "b: 1")).toThrow(rejection("KQL_SYNTAX"));
    }
  });

  test("when the whole is past a limit that its parts keep", () => {
    const half = (8_192 - " AND ".length - 1) / 2;
    expect(compose("a".repeat(half), "b".repeat(half + 1))).not.toThrow();
    expect(compose("a".repeat(half + 1), "b".repeat(half + 1))).toThrow(rejection("KQL_LIMIT"));
  });

  test.each([
    ["bytes", `a: ${"b".repeat(8_000)}`],
    ["nodes", Array.from({ length: 200 }, (_, it) => `a: ${it}`).join(" and ")],
  ])("before further clauses are parsed, when their %s are past a limit", (_, clause) => {
    const keys = Array.from({ length: 100 }, (_, it) => `k${it}`);
    const clauses = Object.fromEntries(keys.map((key) => [key, clause]));
    const session = Object.fromEntries(keys.map((key) => [key, 1]));
    const steps = new SessionClauses(clauses).compose("", session);
    let parsed = 0;
    const count = () => {
      for (; steps.next().done !== true; parsed += 1);
    };
    expect(count).toThrow(rejection("KQL_LIMIT"));
    // One for each clause that is parsed, and one for the whole.
    expect(parsed).toBe(3);
  });
});
