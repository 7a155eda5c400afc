import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as kql from "../../packages/client/src/kql.ts";
import type { KqlName, KqlNode, KqlValue } from "../../src/domain/kql/index.ts";
import { isUnknownDateMath } from "../../src/domain/kql/instant.ts";
import { hostileText } from "../domain/kql/arbitraries.ts";
import { withoutSpans } from "../domain/kql/fixtures.ts";

const NOWHERE = { start: 0, end: 0 };

// By their names, as the properties choose them.
const { and, or, lt, lte, gt, gte, startsWith, endsWith, contains } = kql;
const RANGES = { lt, lte, gt, gte };
const PATTERNS = { startsWith, endsWith, contains };
const JOINS = { and, or };

/** A filter as the builder gives it, and the tree that is meant. */
interface Built {
  readonly text: string;
  readonly tree: KqlNode;
}

const nameOf = (path: string): KqlName => ({ kind: "exact", path, quoted: path === "" });
const is = (path: string, value: KqlValue): KqlNode => ({
  ...{ type: "is", name: nameOf(path), value, span: NOWHERE },
});
const join = (type: "and" | "or", items: readonly KqlNode[]): KqlNode => ({
  type,
  items: items.flatMap((it) => (it.type === type ? it.items : it)),
  span: NOWHERE,
});

const path = hostileText.filter((text) => !["null", "true", "false"].includes(text));
const value = fc.oneof(
  hostileText.map((it) => [it, { kind: "text", text: it, quoted: true }] as const),
  fc.double({ noDefaultInfinity: true, noNaN: true }).map((it) => {
    return [it, { kind: "text", text: String(it), quoted: false }] as const;
  }),
  fc.bigInt().map((it) => [it, { kind: "text", text: String(it), quoted: false }] as const),
  fc.date({ noInvalidDate: true }).map((it) => {
    return [it, { kind: "text", text: it.toISOString(), quoted: true }] as const;
  }),
);
/** The service rejects a bound that only looks like date math. */
const bound = value.filter(([, { text }]) => !isUnknownDateMath(text));
const truth = fc.boolean().map((it) => [it, { kind: "bool", value: it }] as const);

const leaf: fc.Arbitrary<Built> = fc.oneof(
  fc
    .tuple(path, fc.oneof(value, truth))
    .map(([at, [given, tree]]) => ({ text: kql.is(at, given), tree: is(at, tree) })),
  fc.tuple(path, fc.array(value, { minLength: 2, maxLength: 3 })).map(([at, values]) => {
    const given = values.map(([it]) => it);
    const items = values.map(([, it]) => is(at, it));
    return { text: kql.oneOf(at, given), tree: join("or", items) };
  }),
  path.map((at) => ({
    text: kql.exists(at),
    tree: { type: "exists", name: nameOf(at), span: NOWHERE } as const,
  })),
  fc.tuple(path, fc.constantFrom("lt", "lte", "gt", "gte"), bound).map(([at, operator, it]) => ({
    text: RANGES[operator](at, it[0]),
    tree: { type: "range", name: nameOf(at), operator, value: it[1], span: NOWHERE } as const,
  })),
  fc
    .tuple(path, fc.constantFrom("startsWith", "endsWith", "contains"), hostileText)
    .filter(([, , it]) => it !== "")
    .map(([at, match, it]) => {
      const parts = [...(match === "startsWith" ? [] : [""]), it];
      if (match !== "endsWith") parts.push("");
      return { text: PATTERNS[match](at, it), tree: is(at, { kind: "pattern", parts }) };
    }),
);

const { node } = fc.letrec<{ node: Built }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 3 },
    leaf,
    fc
      .tuple(fc.constantFrom("and", "or"), fc.array(tie("node"), { minLength: 2, maxLength: 3 }))
      .map(([type, parts]) => ({
        text: JOINS[type](...parts.map((it) => it.text)),
        tree: join(
          type,
          parts.map((it) => it.tree),
        ),
      })),
    tie("node").map(({ text, tree }) => ({
      text: kql.not(text),
      tree: { type: "not", item: tree, span: NOWHERE } as const,
    })),
    fc.tuple(hostileText, tie("node")).map(([at, { text, tree }]) => ({
      text: kql.within(at, text),
      tree: { type: "nested", path: at, item: tree, span: NOWHERE } as const,
    })),
  ),
}));

describe("the KQL builder", () => {
  test("gives text that parses to what is meant, whatever the values hold", () => {
    fc.assert(
      fc.property(node, ({ text, tree }) => {
        expect(withoutSpans(kql.parseKql(text))).toEqual(withoutSpans(tree));
      }),
      { numRuns: 500 },
    );
  });

  test("reads as people write it", () => {
    const filter = kql.and(
      kql.is("content_type", "match"),
      kql.oneOf("fields.season.id", ["2022", "2026"]),
      kql.or(kql.gte("start_time", "now-2h"), kql.not(kql.exists("start_time"))),
      "score > 2",
    );
    expect(filter).toBe(
      'content_type: "match" AND fields.season.id: ("2022" OR "2026") AND ' +
        '(start_time >= "now-2h" OR NOT start_time: *) AND score > 2',
    );
  });

  test("leaves out what is missing, and keeps a single part as it is", () => {
    expect(kql.and()).toBe("");
    expect(kql.and("", undefined, null, false, " ")).toBe("");
    expect(kql.or("", kql.is("a", 1))).toBe("a: 1");
    expect(kql.oneOf("a", ["x"])).toBe('a: "x"');
  });

  test("matches nothing for one of no values, and for none of no parts", () => {
    for (const filter of [kql.oneOf("a", []), kql.or(), kql.or("", undefined, null, false, " ")]) {
      expect(kql.matchKql(kql.parseKql(filter), { a: "x" })).toBe(false);
      expect(kql.matchKql(kql.parseKql(filter), {})).toBe(false);
    }
    expect(kql.matchKql(kql.parseKql(kql.oneOf("a", ["x", "y"])), { a: "x" })).toBe(true);
  });

  test("rejects what is no value, and text that is no filter", () => {
    // In JavaScript also a parameter that a URL lacks or repeats.
    for (const value of [Number.NaN, undefined, null, ["x", "y"], {}] as number[]) {
      expect(() => kql.is("a", value)).toThrow(RangeError);
      expect(() => kql.gte("a", value)).toThrow(RangeError);
      expect(() => kql.oneOf("a", [value])).toThrow(RangeError);
    }
    expect(() => kql.and("a: (", "b: 1")).toThrow(kql.DomainError);
  });
});
