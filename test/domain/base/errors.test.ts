import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../../src/domain/base/errors.ts";
import { clip, clipBytes, clipList } from "../../../src/domain/base/text.ts";

describe("a text of a caller is cut between characters", () => {
  test.each<[text: string, bytes: number, want: string]>([
    ["", 3, ""],
    ["abc", 3, "abc"],
    ["abcd", 3, "abc…"],
    ["éé", 4, "éé"],
    ["éé", 3, "é…"],
    ["a🏀", 5, "a🏀"],
    ["a🏀b", 4, "a…"],
    ["a🏀b", 5, "a🏀…"],
    // A lone surrogate is sent as U+FFFD, which takes three bytes.
    ["a\ud83c", 4, "a\ud83c"],
    ["a\ud83cb", 3, "a…"],
  ])("%j to %s bytes", (text, bytes, want) => {
    expect(clipBytes(text, bytes)).toBe(want);
  });

  test("to 100 UTF-16 units for a message", () => {
    expect(clip("a".repeat(100))).toBe("a".repeat(100));
    expect(clip("a".repeat(101))).toBe(`${"a".repeat(100)}…`);
    expect(clip(`${"a".repeat(99)}🏀`)).toBe(`${"a".repeat(99)}…`);
    expect(clip(`${"a".repeat(98)}🏀b`)).toBe(`${"a".repeat(98)}🏀…`);
  });

  test("and a list to its first ten", () => {
    expect(clipList(["a", "b"])).toBe("a, b");
    expect(clipList(Array(10).fill("a"))).toBe(Array(10).fill("a").join(", "));
    expect(clipList(Array(12).fill("a"))).toBe(`${Array(10).fill("a").join(", ")} and 2 more`);
  });
});

test("an error holds no more than fits into the trailers of gRPC, whatever it is made of", () => {
  const long = "語".repeat(100_000);
  const error = new DomainError(Code.INVALID_ARGUMENT, "VALUE_INVALID", long, {
    fields: Array.from({ length: 100 }, () => ({ field: long, description: long })),
    metadata: { a: long, b: "short" },
  });
  const bytes = (text: string) => Buffer.byteLength(text) - Buffer.byteLength("…");
  expect([bytes(error.message) <= 2_048, bytes(error.message) > 2_040]).toEqual([true, true]);
  expect(error.fields).toHaveLength(8);
  for (const { field, description } of error.fields) {
    expect([bytes(field) <= 256, bytes(description) <= 1_536]).toEqual([true, true]);
  }
  expect(bytes(error.metadata.a ?? "")).toBeLessThanOrEqual(6_656);
  expect(error.metadata.b).toBe("short");
});
