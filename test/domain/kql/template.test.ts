import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type KqlNode,
  KqlTemplate,
  matchKql,
  type PlaceholderLookup,
  parseKql,
  parseKqlTemplate,
  printKql,
  readOwnPath,
} from "../../../src/domain/kql/index.ts";
import { openCases } from "../../harness/cases.ts";
import { hostileText, templateTree } from "./arbitraries.ts";
import { withoutSpans } from "./fixtures.ts";

const each = openCases("kql/template");

const VALUES = {
  id: "s1",
  n: 5,
  year: "now-1y",
  yes: true,
  no: false,
  zero: 0,
  empty: "",
  quote: 'a"b\\c',
  lines: "a\tb\r\nc",
  evil: '" OR *:* OR f: "',
  stars: "a*b",
  star: "*",
  word: "not",
  brace: "{id}",
  list: ["a", 2, null, true],
  other: ["x", "y"],
  one: ["only"],
  deep: [["a"], [["b"]]],
  seasons: [{ id: "s1" }, { id: "s2" }, {}, null, "text", { id: null }],
  event: { fields: { season: { id: "s9" } }, tags: [{ ids: ["a", "b"] }, { ids: ["c"] }] },
  nothing: null,
  object: {},
  objects: ["a", {}],
  none: [],
  nulls: [null, null],
  wide: Array.from({ length: 300 }, (_, index) => index),
  sixteen: Array.from({ length: 16 }, (_, index) => index),
  long: "x".repeat(8_192),
};
const lookup = (path: string) => readOwnPath(VALUES, path);
const fill = (template: string, read: PlaceholderLookup) => new KqlTemplate(template).fill(read);

each<[string, string]>("a value takes the placeholder's place", (template, want) => {
  const filled = fill(template, lookup);
  expect(filled).toEqual({ kind: "substituted", text: want, node: parseKql(want) });
});

each<[string, string, string]>(
  "a placeholder without a value fails by name",
  (template, placeholder, reason) => {
    const want = { kind: "failed", placeholder, reason };
    expect(fill(template, lookup)).toEqual(want);
  },
);

test("a placeholder without a value fails by name: a value that JSON cannot express is rejected", () => {
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol("x")]) {
    const got = fill("f: {q}", () => value);
    expect(got).toEqual({ kind: "failed", placeholder: "q", reason: "UNSET" });
  }
});

describe("a substitution keeps the limits", () => {
  const fillList = (count: number) => {
    const values = Array.from({ length: count }, (_, index) => index);
    return fill("f: {q} and g: 1", () => values).kind;
  };

  test("of nodes", () => {
    expect(fillList(256 - 3)).toBe("substituted");
    expect(fillList(256 - 2)).toBe("failed");
  });

  test("of bytes", () => {
    const fillText = (length: number) => fill("f: {q}", () => "x".repeat(length)).kind;
    expect(fillText(8_192 - 5)).toBe("substituted");
    expect(fillText(8_192 - 4)).toBe("failed");
  });

  test("of nesting", () => {
    const nest = (depth: number) => `${"(".repeat(depth)}f: {other}${")".repeat(depth)}`;
    expect(fill(nest(32 - 1), lookup).kind).toBe("substituted");
    expect(fill(nest(32), lookup).kind).toBe("failed");
  });
});

test("a value is found as itself, whatever it holds", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const got = fill("f: {q} and g: 1", () => text);
      if (got.kind === "failed") throw new Error(got.reason);
      const filter = parseKql(got.text);
      expect(matchKql(filter, { f: text, g: 1 })).toBe(true);
      expect(matchKql(filter, { f: `${text}.`, g: 1 })).toBe(false);
      expect(matchKql(filter, { f: text, g: 2 })).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test("no value changes the tree around its placeholder or becomes one itself", () => {
  const scalar = fc.oneof(hostileText, fc.double({ noNaN: true, noDefaultInfinity: true }));
  const values = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(templateTree, values, values, (tree, q, id) => {
      const text = printKql(tree);
      const template = parseKqlTemplate(text);
      const read = (path: string) => ({ q, "event.id": id })[path];
      const got = fill(text, read);
      if (got.kind === "failed") {
        expect(["TOO_LARGE", "MALFORMED"]).toContain(got.reason);
        return;
      }
      const want = withoutSpans(got.node);
      expectSameShape(withoutSpans(template) as KqlNode, want as KqlNode);
      expect(withoutSpans(parseKqlTemplate(got.text))).toEqual(want);
      expect(withoutSpans(parseKql(printKql(got.node)))).toEqual(want);
    }),
    { numRuns: 1000 },
  );
});

function expectSameShape(template: KqlNode, filled: KqlNode): void {
  if ((template.type === "is" || template.type === "range") && template.value.kind === "template") {
    for (const item of filled.type === "or" ? filled.items : [filled]) {
      expect(["all", "exists", template.type]).toContain(item.type);
      if (item.type === "is" && item.value.kind === "pattern") {
        const stars = template.value.parts.filter((part) => part.kind === "star");
        expect(item.value.parts).toHaveLength(stars.length + 1);
      }
      if ("name" in item) expect(item.name).toEqual(template.name);
      if (template.type === "range") expect(item).toMatchObject({ operator: template.operator });
    }
  } else if (template.type === "and" || template.type === "or") {
    if (filled.type !== template.type) throw new Error("another operator");
    expect(filled.items).toHaveLength(template.items.length);
    for (const [index, item] of template.items.entries()) {
      expectSameShape(item, filled.items[index] ?? item);
    }
  } else if (template.type === "not" || template.type === "nested") {
    if (filled.type !== template.type) throw new Error("another operator");
    expectSameShape(template.item, filled.item);
  } else {
    expect(filled).toEqual(template);
  }
}
