import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashPaths } from "../../../src/api/steps/unit-of-work.ts";
import { diffJson } from "../../../src/domain/changes/json-merge.ts";
import {
  dropPaths,
  listPaths,
  PATH_LIMITS,
  type PathTree,
  readPath,
} from "../../../src/domain/changes/path-tree.ts";

/** Returns the tree of the values of JSON. */
const treeOf = (json: JsonValue) => diffJson(empty(json), json) as PathTree;

/** Returns JSON with the same objects, and without the other values. */
function empty(json: JsonValue): JsonValue {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return "empty";
  return Object.fromEntries(Object.entries(json).map(([key, it]) => [key, empty(it as JsonValue)]));
}

/** Returns an object of some keys. */
const keys = (count: number, name = "k") =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, index]));
const sizeOf = (paths: readonly string[]) => Buffer.byteLength(paths.join(""));

describe("the listed paths", () => {
  test("are those of 50 values; of 51, the nearest common parents", () => {
    expect(listPaths(treeOf({ id: 1, fields: keys(49) }))).toHaveLength(50);
    expect(listPaths(treeOf({ id: 1, fields: keys(50) }))).toEqual(["id", "fields"]);
    const nested = { id: 1, fields: { a: keys(60), b: keys(2), c: { d: { e: 1 } } } };
    const want = ["id", "fields.a", "fields.b.k0", "fields.b.k1", "fields.c.d.e"];
    expect(listPaths(treeOf(nested))).toEqual(want);
  });

  test("have 4 KiB in UTF-8; with a byte more, the nearest common parents", () => {
    const long = (bytes: number) => ({
      fields: { ["é".repeat(2_000)]: 1, ["b".repeat(bytes)]: 1 },
    });
    const left = PATH_LIMITS.bytes - 4_000 - 2 * "fields.".length;
    expect(sizeOf(listPaths(treeOf(long(left))))).toBe(PATH_LIMITS.bytes);
    expect(listPaths(treeOf(long(left + 1)))).toEqual(["fields"]);
  });

  test("begin with the names of the fields, also with fewer bytes", () => {
    expect(listPaths(treeOf({ id: 1, fields: { a: 1 } }), 0)).toEqual(["id", "fields"]);
    expect(listPaths(treeOf({ id: 1, fields: { a: 1 } }), 10)).toEqual(["id", "fields.a"]);
    expect(listPaths(treeOf({ id: 1, fields: { a: 1 } }), 9)).toEqual(["id", "fields"]);
  });

  test("are within the limits, and contain each value once", () => {
    const json = fc.letrec<{ value: JsonValue; object: JsonValue }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, fc.integer(), tie("object")),
      object: fc.dictionary(fc.string({ unit: "grapheme" }), tie("value"), { maxKeys: 12 }),
    })).object;
    fc.assert(
      fc.property(json, fc.integer({ min: 0, max: 200 }), (fields, bytes) => {
        const tree = treeOf({ fields });
        const paths = listPaths(tree, bytes);
        expect(paths.length).toBeLessThanOrEqual(PATH_LIMITS.paths);
        expect(sizeOf(paths)).toBeLessThanOrEqual(Math.max(bytes, "fields".length));
        const values = paths.map((path) => readPath({ fields }, path));
        const all = (value: JsonValue | undefined): number =>
          typeof value !== "object" || value === null || Object.keys(value).length === 0
            ? Number(typeof value === "number")
            : Object.values(value).reduce<number>((sum, it) => sum + all(it as JsonValue), 0);
        expect(values.reduce<number>((sum, it) => sum + all(it), 0)).toBe(all(fields));
      }),
    );
  });
});

test("the hash of paths is of all of them, and of nothing else", () => {
  const hash = (json: JsonValue) => hashPaths(treeOf(json));
  const many = { fields: keys(1_000) };
  expect(listPaths(treeOf(many))).toEqual(listPaths(treeOf({ fields: keys(999) })));
  expect(hash(many)).not.toBe(hash({ fields: keys(999) }));
  expect(hash(many)).toBe(hash({ fields: keys(1_000) }));
  expect(hash(many)).toHaveLength(22);
  const all = [{ a: { b: 1 } }, { a: 1, b: 1 }, { "a.b": 1 }, { ab: 1 }, { a: { b: { c: 1 } } }];
  expect(new Set([...all, { a: { b: 1, c: 1 } }].map(hash)).size).toBe(6);
});

describe("paths that are dropped", () => {
  const tree = treeOf({ title: { en: 1, de: 1 }, fields: { a: { b: 1, c: 1 }, "x.y": 1 } });
  test.each<[readonly string[], readonly string[]]>([
    [[], ["title.en", "title.de", "fields.a.b", "fields.a.c", 'fields."x.y"']],
    [["title"], ["fields.a.b", "fields.a.c", 'fields."x.y"']],
    [
      ["title.en", "fields.a"],
      ["title.de", 'fields."x.y"'],
    ],
    [
      ["titles", "fields.a.b.below", 'fields."x.y"'],
      ["title.en", "title.de", "fields.a.c"],
    ],
    [["title", "fields"], []],
  ])("%j", (paths, want) => {
    expect(listPaths(dropPaths(tree, paths))).toEqual(want);
  });
});
