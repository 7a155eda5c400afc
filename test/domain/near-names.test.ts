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
