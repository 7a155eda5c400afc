import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { diffJson, keepPaths, mergeJson } from "../../../src/domain/changes/json-merge.ts";
import { dropPaths, listPaths, type PathTree } from "../../../src/domain/changes/path-tree.ts";
import { diffByRule, keepByRule, mergeByRule } from "./merge-oracle.ts";

/** Base, draft and current, with what a merge makes of them, and the paths in conflict. */
const CASES: Readonly<
  Record<
    string,
    readonly [base: unknown, draft: unknown, current: unknown, want: unknown, ...string[]]
  >
> = {
  "only the draft changed": [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
  "only current changed": [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 2 }],
  "both to the same value": [{ a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
  "both, differently": [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 2 }, "a"],
  "different keys": [
    { a: 1, b: 1 },
    { a: 2, b: 1 },
    { a: 1, b: 2 },
    { a: 2, b: 2 },
  ],
  "different keys below one": [
    { o: { a: 1 } },
    { o: { a: 2 } },
    { o: { a: 1, b: 1 } },
    { o: { a: 2, b: 1 } },
  ],
  "new objects with different keys": [{}, { o: { a: 1 } }, { o: { b: 1 } }, { o: { a: 1, b: 1 } }],
  "new objects with one key": [{}, { o: { a: 1 } }, { o: { a: 2 } }, { o: { a: 1 } }, "o.a"],
  "the draft deletes a key": [{ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 2 }, { b: 2 }],
  "the draft deletes what current changed": [{ a: 1 }, {}, { a: 2 }, {}, "a"],
  "current deletes what the draft changed": [{ a: 1 }, { a: 2 }, {}, { a: 2 }, "a"],
  "current deletes an object that the draft changed": [
    { o: { a: 1, b: 1 } },
    { o: { a: 2, b: 1 } },
    {},
    { o: { a: 2, b: 1 } },
    "o",
  ],
  "a list is one value": [{ l: [1, 2] }, { l: [1, 2, 3] }, { l: [0, 1, 2] }, { l: [1, 2, 3] }, "l"],
  "a list that only one side changed": [
    { l: [1], a: 1 },
    { l: [2], a: 1 },
    { l: [1], a: 2 },
    { l: [2], a: 2 },
  ],
  "an object in place of a scalar": [{ a: 1 }, { a: { b: 1 } }, { a: 2 }, { a: { b: 1 } }, "a"],
  "two objects in place of a scalar": [
    { a: 1 },
    { a: { b: 1 } },
    { a: { c: 1 } },
    { a: { b: 1 } },
    "a",
  ],
  "null is a value": [{ a: null }, { a: 1 }, { a: null, b: null }, { a: 1, b: null }],
  "a key with a dot": [{}, { "a.b": 1 }, { "a.b": 2 }, { "a.b": 1 }, '"a.b"'],
  "the resource is deleted in the current version": [{ a: 1 }, { a: 2 }, undefined, { a: 2 }, ""],
  "both create it": [undefined, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
};

describe("three states are merged by path", () => {
  for (const [name, [base, draft, current, want, ...conflicts]] of Object.entries(CASES)) {
    test(name, () => {
      const got = mergeJson(base as JsonValue, draft as JsonValue, current as JsonValue);
      expect(got.value).toEqual(want);
      expect(listPaths(got.conflicts)).toEqual(conflicts);
    });
  }

  test("a key that is a name of an object's own is data", () => {
    const [base, draft, current] = ['{"a":1}', '{"a":1,"__proto__":{"x":1}}', '{"a":2}'].map(
      (text) => JSON.parse(text),
    );
    expect(JSON.stringify(mergeJson(base, draft, current).value)).toBe(
      '{"a":2,"__proto__":{"x":1}}',
    );
    expect(listPaths(diffJson(base, draft))).toEqual(["__proto__"]);
  });
});

const KEYS = ["a", "b", "c.d", "é"];
const json = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.constant(null),
    fc.array(fc.integer()),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie("value")),
})).object;

test("any two edits of disjoint paths merge, in either order, to the same value", () => {
  fc.assert(
    fc.property(json, json, json, (base, first, second) => {
      const draft = { ...(base as object), x: first };
      const current = { ...(base as object), y: second };
      const want = { ...(base as object), x: first, y: second };
      expect(mergeJson(base, draft, current)).toEqual({ value: want, conflicts: undefined });
      expect(mergeJson(base, current, draft)).toEqual({ value: want, conflicts: undefined });
    }),
  );
});

test("a merge with an unchanged side is the other; what is equal has no changed paths", () => {
  fc.assert(
    fc.property(json, json, (base, other) => {
      expect(mergeJson(base, other, base)).toEqual({ value: other, conflicts: undefined });
      expect(mergeJson(base, base, other)).toEqual({ value: other, conflicts: undefined });
      expect(mergeJson(base, other, other)).toEqual({ value: other, conflicts: undefined });
      expect(diffJson(base, structuredClone(base))).toBeUndefined();
      expect(diffJson(base, other) === undefined).toBe(
        JSON.stringify(sort(base)) === JSON.stringify(sort(other)),
      );
    }),
  );
});

function sort(value: JsonValue): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, it]) => [key, sort(it)]);
}

/** Lists the keys of the values of a tree. */
function listKeys(tree: PathTree | undefined, keys: readonly string[] = []): unknown[] {
  if (tree === undefined) return [];
  return tree.size === 0
    ? [keys]
    : Array.from(tree).flatMap(([key, it]) => listKeys(it, [...keys, key]));
}

/** A page component, perhaps with two members of its oneof `data`. */
const component = fc.record(
  {
    name: fc.constantFrom("a", "b"),
    text: fc.record({ html: fc.constantFrom("a", "b") }, { requiredKeys: [] }),
    banner: json,
    calendar: json,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonValue>;

describe("a merge of one walk is the merge of the rule", () => {
  const states = fc.oneof(
    fc.tuple(json, json, json, fc.constant(undefined)),
    fc.tuple(component, component, component, fc.constant(PageComponentSchema)),
  );

  test("in its value, the order of its keys and its conflicts", () => {
    fc.assert(
      fc.property(states, ([base, draft, current, schema]) => {
        for (const before of [base, undefined]) {
          const got = mergeJson(before, draft, current, schema);
          const want = mergeByRule(before, draft, current, schema);
          expect(JSON.stringify(got.value)).toBe(JSON.stringify(want.value));
          expect(listKeys(got.conflicts)).toEqual(want.conflicts);
        }
        expect(listKeys(diffJson(base, draft))).toEqual(diffByRule(base, draft));
      }),
      { numRuns: 500 },
    );
  });

  test("in the values that it keeps", () => {
    fc.assert(
      fc.property(states, ([base, draft, current, schema]) => {
        const { conflicts } = mergeJson(base, draft, current, schema);
        const keys = mergeByRule(base, draft, current, schema).conflicts;
        const got = keepPaths(base, current, conflicts, schema);
        const want = keepByRule(base, current, keys, { keys: [], schema });
        expect(JSON.stringify(got)).toBe(JSON.stringify(want));
      }),
      { numRuns: 500 },
    );
  });
});

describe("the work of a merge grows with values, not with levels", () => {
  /** Returns JSON whose reads are counted. */
  const count = (value: JsonValue, visits: { count: number }): JsonValue => {
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, it]) => [key, count(it as JsonValue, visits)]);
    const counted = Array.isArray(value)
      ? entries.map(([, it]) => it)
      : Object.fromEntries(entries);
    return new Proxy(counted, {
      get(target, key, receiver) {
        if (typeof key === "string") visits.count += 1;
        return Reflect.get(target, key, receiver);
      },
    });
  };
  /** Returns 1,024 values on some levels, each of them named. */
  const nest = (levels: number, leaf: (index: number) => JsonValue): JsonValue => {
    const flat = Array.from({ length: 1_024 }, (_, index) => [`k${index}`, leaf(index)]);
    let nested: JsonValue = Object.fromEntries(flat);
    for (let level = 1; level < levels; level += 1) nested = { deep: nested };
    return nested;
  };
  const visit = (
    levels: number,
    run: (...values: [JsonValue, JsonValue, JsonValue]) => unknown,
  ) => {
    const visits = { count: 0 };
    const [base, draft, current] = [
      nest(levels, (index) => index),
      nest(levels, (index) => (index % 3 === 0 ? "draft" : index)),
      nest(levels, (index) => (index % 2 === 0 ? "live" : index)),
    ].map((it) => count(it, visits)) as [JsonValue, JsonValue, JsonValue];
    run(base, draft, current);
    return visits.count;
  };
  const CASES: Readonly<Record<string, Parameters<typeof visit>[1]>> = {
    mergeJson: (base, draft, current) => mergeJson(base, draft, current),
    "mergeJson without a base": (_, draft, current) => mergeJson(undefined, draft, current),
    "mergeJson of what is the same": (base) => mergeJson(base, { ...(base as object) }, base),
    diffJson: (base, draft) => diffJson(base, draft),
    keepPaths: (base, draft, current) => {
      const { conflicts } = mergeJson(base, draft, current);
      return keepPaths(base, current, conflicts && dropPaths(conflicts, []), undefined);
    },
  };

  test.each(Object.entries(CASES))("%s", (_, run) => {
    const [flat, deep] = [visit(1, run), visit(90, run)];
    expect(flat).toBeGreaterThan(1_000);
    expect(deep / flat).toBeLessThan(2);
    expect(flat / (3 * 1_024)).toBeLessThan(10);
  });
});
