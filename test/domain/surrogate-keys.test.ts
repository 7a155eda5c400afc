import { describe, expect, test } from "vitest";
import {
  listKeysOf,
  printSurrogateKeys,
  type RequiredValues,
  valueKeysOf,
} from "../../src/domain/surrogate-keys.ts";

const many = (collection: string, count: number) =>
  Array.from({ length: count }, (_, index) => `worldcup/${collection}/number-${index}`);

describe("a surrogate key", () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ["of nothing is nothing", [], ""],
    [
      "names what took part in its order",
      ["worldcup/events", "worldcup/events/a"],
      "worldcup worldcup/events worldcup/events/a",
    ],
    ["names each once", ["p/events/a", "p/events", "p/events/a"], "p p/events/a p/events"],
    ["leaves plain characters", ["p/events/aZ0.-_~"], "p p/events/aZ0.-_~"],
    ["encodes a blank and a per cent sign", ["p/events/a b%"], "p p/events/a%20b%25"],
    ["encodes line breaks", ["p/events/a\r\nx= y"], "p p/events/a%0D%0Ax%3D%20y"],
    ["of a type keeps its colon", ["p/events/type:live show"], "p p/events/type:live%20show"],
    ["encodes what is no ASCII as UTF-8", ["p/events/é🏆"], "p p/events/%C3%A9%F0%9F%8F%86"],
    ["encodes half a character", ["p/events/\ud800"], "p p/events/%EF%BF%BD"],
    ["has no empty key", ["", "p/events"], "p p/events"],
  ];
  for (const [name, keys, want] of cases) {
    test(name, () => expect(printSurrogateKeys(keys)).toBe(want));
  }

  test("of exactly 4 KiB is left as it is", () => {
    const long = "x".repeat(4_096 - "p p/events/a ".length - "p/events/".length);
    const keys = ["p/events/a", `p/events/${long}`];
    expect(printSurrogateKeys(keys)).toBe(["p", ...keys].join(" "));
    expect(printSurrogateKeys([...keys.slice(0, 1), `${keys[1]}x`])).toBe("p p/events");
  });

  test("too long names the largest collection instead of its resources", () => {
    const keys = [...many("events", 300), "worldcup/entities/a", "worldcup/pages/home"];
    expect(printSurrogateKeys(keys)).toBe(
      "worldcup worldcup/events worldcup/entities/a worldcup/pages/home",
    );
  });

  test("much too long names as many collections as it must", () => {
    const keys = [...many("events", 300), ...many("entities", 400), "worldcup/pages/home"];
    expect(printSurrogateKeys(keys)).toBe(
      "worldcup worldcup/events worldcup/entities worldcup/pages/home",
    );
  });

  test("of more collections than fit names the project", () => {
    const keys = Array.from({ length: 600 }, (_, index) => `worldcup/collection-${index}`);
    expect(printSurrogateKeys([...keys, "other/events"])).toBe("worldcup other other/events");
  });

  test("names each resource, or a beginning of its key, whatever took part", () => {
    for (const counts of [
      [10, 10],
      [100, 100],
      [1_000, 3],
      [1_000, 1_000],
    ] as const) {
      const keys = [...many("events", counts[0]), ...many("entities", counts[1])];
      const header = printSurrogateKeys(keys);
      expect(header.length).toBeLessThanOrEqual(4_096);
      const named = new Set(header.split(" "));
      const beginnings = (key: string) =>
        key.split("/").map((_, index, all) => all.slice(0, index + 1).join("/"));
      expect(keys.filter((key) => !beginnings(key).some((it) => named.has(it)))).toEqual([]);
    }
  });

  test("too long omits listed resources, which the key of their list covers", () => {
    const keys = ["worldcup/events/type:match", "worldcup/entities/a"];
    const listed = many("events", 300);
    const all = ["worldcup", ...keys];
    expect(printSurrogateKeys(keys, listed)).toBe(all.join(" "));
    expect(printSurrogateKeys(keys, listed.slice(0, 1))).toBe([...all, listed[0]].join(" "));
  });
});

describe("a list has the keys of", () => {
  const long = "x".repeat(101);
  const types = (...values: readonly string[]) => ({ types: new Set(values) });
  const entities = (...values: readonly string[]) => ({ entityIds: new Set(values) });
  const cases: readonly (readonly [string, RequiredValues, readonly string[]])[] = [
    ["its collection for any type", {}, ["p/events"]],
    ["a type", types("match"), ["p/events/type:match"]],
    ["a few types", types("match", "show"), ["p/events/type:match", "p/events/type:show"]],
    ["its collection for six types", types("a", "b", "c", "d", "e", "f"), ["p/events"]],
    ["its collection for a long type", types("match", long), ["p/events"]],
    ["its collection for no type", types("match", ""), ["p/events"]],
    ["an entity", entities("esp"), ["p/events/entity", "p/events/entity:esp"]],
    [
      "its entities, not of its type",
      { ...types("match"), ...entities("esp", "arg") },
      ["p/events/entity", "p/events/entity:esp", "p/events/entity:arg"],
    ],
    [
      "its type for six entities",
      { ...types("match"), ...entities("a", "b", "c", "d", "e", "f") },
      ["p/events/type:match"],
    ],
  ];
  for (const [name, required, want] of cases) {
    test(name, () => expect(listKeysOf("event", "p", required)).toEqual(want));
  }

  test("its entities, of which a change names 20 or the common one", () => {
    const name = (count: number) => {
      const entityIds = new Set(Array.from({ length: count }, (_, index) => `e${index}`));
      return valueKeysOf("event", "p", { types: new Set(["", "match", long]), entityIds });
    };
    expect(name(1)).toEqual(["p/events/type:match", "p/events/entity:e0"]);
    expect(name(20)).toHaveLength(21);
    expect(name(21)).toEqual(["p/events/type:match", "p/events/entity"]);
  });
});
