import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { listChangedPaths, mergeJson } from "../../../src/domain/changes/json-merge.ts";

/** Base, draft and live, with what a merge makes of them, and the paths in conflict. */
const CASES: Readonly<
  Record<
    string,
    readonly [base: unknown, draft: unknown, live: unknown, want: unknown, ...string[]]
  >
> = {
  "only the draft changed": [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
  "only live changed": [{ a: 1 }, { a: 1 }, { a: 2 }, { a: 2 }],
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
  "the draft deletes what live changed": [{ a: 1 }, {}, { a: 2 }, {}, "a"],
  "live deletes what the draft changed": [{ a: 1 }, { a: 2 }, {}, { a: 2 }, "a"],
  "live deletes an object that the draft changed": [
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
  "the resource is deleted on live": [{ a: 1 }, { a: 2 }, undefined, { a: 2 }, ""],
  "both create it": [undefined, { a: 1 }, { b: 1 }, { a: 1, b: 1 }],
};

describe("three states are merged by path", () => {
  for (const [name, [base, draft, live, want, ...conflicts]] of Object.entries(CASES)) {
    test(name, () => {
      const got = mergeJson(base as JsonValue, draft as JsonValue, live as JsonValue);
      expect(got.value).toEqual(want);
      expect(got.conflicts.map(({ path }) => path)).toEqual(conflicts);
    });
  }

  test("a key that is a name of an object's own is data", () => {
    const [base, draft, live] = ['{"a":1}', '{"a":1,"__proto__":{"x":1}}', '{"a":2}'].map((text) =>
      JSON.parse(text),
    );
    expect(JSON.stringify(mergeJson(base, draft, live).value)).toBe('{"a":2,"__proto__":{"x":1}}');
    expect(listChangedPaths(base, draft)).toEqual(["__proto__"]);
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
      const live = { ...(base as object), y: second };
      const want = { ...(base as object), x: first, y: second };
      expect(mergeJson(base, draft, live)).toEqual({ value: want, conflicts: [] });
      expect(mergeJson(base, live, draft)).toEqual({ value: want, conflicts: [] });
    }),
  );
});

test("a merge with an unchanged side is the other; what is equal has no changed paths", () => {
  fc.assert(
    fc.property(json, json, (base, other) => {
      expect(mergeJson(base, other, base)).toEqual({ value: other, conflicts: [] });
      expect(mergeJson(base, base, other)).toEqual({ value: other, conflicts: [] });
      expect(mergeJson(base, other, other)).toEqual({ value: other, conflicts: [] });
      expect(listChangedPaths(base, structuredClone(base))).toEqual([]);
      expect(listChangedPaths(base, other).length === 0).toBe(
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
