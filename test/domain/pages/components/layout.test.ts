import { describe, expect, test } from "vitest";
import { Code } from "../../../../src/domain/errors.ts";
import { checkPageLayout, type PagePlace } from "../../../../src/domain/pages/components/layout.ts";

/** Places as `<id>[:<group>][!]`, `!` for a filter. */
function toPlaces(text: string): PagePlace[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word) => {
      const [id = "", groupId = ""] = word.replace("!", "").split(":");
      return { id, groupId, isFilter: word.endsWith("!") };
    });
}

describe("a page that is in order", () => {
  const cases = [
    "",
    "a",
    "a b c",
    "a:g",
    "a:g b:g",
    "a:g b:g c d:h e:h",
    "a:g b:h",
    // A component's own id is its group id.
    "a b:a",
    "b:a a",
    "b:a a c:a",
    "a:a b:a",
    // A group that is named like a component elsewhere in another group.
    "a:g b:a",
    "a! b",
    "a!:g".replace("!:g", ":g!"),
    "a:g! b:g",
    "a:g b:G c:g2",
  ];
  for (const text of cases) {
    test(`[${text}]`, () => expect(() => checkPageLayout(toPlaces(text))).not.toThrow());
  }
});

describe("a page has at most 100 components", () => {
  const page = (count: number) =>
    toPlaces(Array.from({ length: count }, (_, it) => `c${it}`).join(" "));
  for (const [count, before, isAllowed] of [
    [100, 99, true],
    [101, 100, false],
    [101, 0, false],
    // It had more before the limit: it may shrink and change.
    [150, 150, true],
    [149, 150, true],
    [151, 150, false],
  ] as const) {
    test(`${before} become ${count}`, () => {
      const check = expect(() => checkPageLayout(page(count), before));
      if (isAllowed) check.not.toThrow();
      else check.toThrow(expect.objectContaining({ reason: "PAGE_COMPONENT_LIMIT" }));
    });
  }
});

describe("a group that is not adjacent", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["a:g b c:g", "g", "c"],
    ["a:g b:h c:g d:h", "g", "c"],
    ["a b c:a", "a", "c"],
    ["c:a b a", "a", "a"],
    ["a:g b:g c d:g", "g", "d"],
    ["a:a b c:a", "a", "c"],
  ];
  for (const [text, groupId, componentId] of cases) {
    test(`[${text}] is refused at ${componentId}`, () => {
      expect(() => checkPageLayout(toPlaces(text))).toThrow(
        expect.objectContaining({
          code: Code.FAILED_PRECONDITION,
          reason: "GROUP_NOT_ADJACENT",
          metadata: { group_id: groupId, component_id: componentId },
        }),
      );
    });
  }
});

describe("a second filter", () => {
  for (const [text, ids] of [
    ["a! b!", "a,b"],
    ["a! x b! c!", "a,b,c"],
    ["a:g! b:g!", "a,b"],
  ] as const) {
    test(`[${text}] is refused with the filters`, () => {
      expect(() => checkPageLayout(toPlaces(text))).toThrow(
        expect.objectContaining({
          code: Code.FAILED_PRECONDITION,
          reason: "PAGE_FILTER_LIMIT",
          metadata: { component_ids: ids },
        }),
      );
    });
  }
});
