import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeOrder } from "../../../../src/domain/pages/components/layout.ts";

describe("the order of a page's components and a list of some of them", () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ["of nothing new is that of the page", "abc", "", "abc"],
    ["of one that is there keeps its place", "abc", "b", "abc"],
    ["swaps those that the list swaps", "abcd", "da", "dbca"],
    ["puts what is new behind the one before it", "abc", "ax", "axbc"],
    ["puts what is new and first before the one after it", "abc", "xb", "axbc"],
    ["puts what is new at the end if the list names nothing else", "abc", "xy", "abcxy"],
    ["of a list of all is the list", "abc", "cxbya", "cxbya"],
    ["of an empty page is the list", "", "xyz", "xyz"],
  ];
  for (const [name, page, listed, want] of cases) {
    test(name, () => {
      expect(mergeOrder([...page], [...listed]).join("")).toBe(want);
    });
  }

  test("holds everything once, the list in its order and the rest in its own", () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 9 }).map(String));
    fc.assert(
      fc.property(ids, ids, (page, listed) => {
        const got = mergeOrder(page, listed);
        expect(got.toSorted()).toEqual([...new Set([...page, ...listed])].sort());
        expect(got.filter((id) => listed.includes(id))).toEqual(listed);
        const rest = (all: readonly string[]) => all.filter((id) => !listed.includes(id));
        expect(rest(got)).toEqual(rest(page));
      }),
    );
  });
});
