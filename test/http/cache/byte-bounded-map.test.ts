import { describe, expect, test } from "vitest";
import { ByteBoundedMap } from "../../../src/http/cache/byte-bounded-map.ts";

const create = (maxBytes: number) => new ByteBoundedMap<string>(maxBytes, (_, it) => it.length);

describe("a byte-bounded map", () => {
  test("keeps what fits exactly and forgets the longest unused past that", () => {
    const map = create(6);
    map.set("a", "123");
    map.set("b", "456");
    expect([map.get("a"), map.get("b"), map.bytes]).toEqual(["123", "456", 6]);
    map.get("a");
    map.set("c", "7");
    expect([map.get("a"), map.get("b"), map.get("c"), map.bytes]).toEqual([
      "123",
      undefined,
      "7",
      4,
    ]);
  });

  test("does not keep a value larger than itself, nor the one that it was to replace", () => {
    const map = create(3);
    map.set("a", "123");
    map.set("a", "1234");
    expect([map.get("a"), map.bytes]).toEqual([undefined, 0]);
  });

  test("counts a replaced value once and a deleted one not at all", () => {
    const map = create(10);
    map.set("a", "1234");
    map.set("a", "12");
    expect(map.bytes).toBe(2);
    map.delete("a");
    map.delete("a");
    expect(map.bytes).toBe(0);
  });
});
