import { expect, test } from "vitest";
import { estimateHeap } from "../../src/api/reads/revision-memo.ts";

const FOREVER = Number.POSITIVE_INFINITY;

test.each([
  ["a number", 7, 96],
  ["a text", "abcd", 100],
  ["bytes", new Uint8Array(1_000), 1_096],
  ["nothing", undefined, 96],
  ["a list", [1, 2, 3], 4 * 96],
  ["an object in an object", { a: { b: "c" }, d: null }, 4 * 96 + 1],
])("%s is counted with its values", (_, value, bytes) => {
  expect(estimateHeap(value, FOREVER)).toBe(bytes);
});

test("counting ends beyond the maximum", () => {
  let read = 0;
  const values = Array.from({ length: 1_000 }, () => ({
    get value() {
      read += 1;
      return 1;
    },
  }));
  expect(estimateHeap(values, 96 * 100)).toBe(96 * 101);
  expect(read).toBeLessThan(100);
  expect(estimateHeap("x".repeat(1_000), 1_000)).toBe(1_096);
});
