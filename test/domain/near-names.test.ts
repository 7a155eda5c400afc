import { expect, test } from "vitest";
import { listNearNames, suggestNames } from "../../src/domain/base/text.ts";

const FIELDS = ["name", "slug", "title", "parameters", "css_classes", "create_time", "update_time"];

test.each([
  ["nam", "name"],
  ["nmae", "name"],
  ["titel", "title"],
  ["slgu", "slug"],
  ["tittle", "title"],
  ["parmeters", "parameters"],
  ["cssClasses", "css_classes"],
  ["creat_time", "create_time"],
  ["date_time", "update_time create_time"],
  ["name", "name"],
  ...["", "x", "visibility", "a".repeat(64), `name${"e".repeat(1_000_000)}`].map((it) => [it, ""]),
] as [string, string][])(
  "an unknown name gets the known names nearest to it: %#",
  (unknown, want) => {
    expect(listNearNames(unknown, FIELDS).join(" ")).toBe(want);
  },
);

test("suggests three names at most", () => {
  expect(listNearNames("a.b.c", ["a.b.d", "a.b.e", "a.b.f", "a.b.g"])).toHaveLength(3);
});

test("the suggestion ends a message as a question", () => {
  expect(suggestNames("tittle", FIELDS)).toBe("; did you mean 'title'?");
  expect(suggestNames("date_time", FIELDS)).toBe("; did you mean 'update_time' or 'create_time'?");
  expect(suggestNames("nothing like it", FIELDS)).toBe("");
});

test("so many pairs of characters are compared, and no more", () => {
  const unknown = "n".repeat(64);
  const near = `${"n".repeat(63)}x`;
  const far = (count: number) => Array.from({ length: count }, (_, at) => String(at).padEnd(64));
  const others = 2 ** 20 / 64 / 64 - 1;
  expect(listNearNames(unknown, [...far(others), near])).toEqual([near]);
  expect(listNearNames(unknown, [...far(others + 1), near])).toEqual([]);
  // What cannot be near is not compared.
  const long = Array.from({ length: 5_000 }, () => "x".repeat(256));
  expect(listNearNames(unknown, [...long, near])).toEqual([near]);
});
