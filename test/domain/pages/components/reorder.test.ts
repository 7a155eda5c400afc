import { describe, expect, test } from "vitest";
import { Code } from "../../../../src/domain/errors.ts";
import { checkPageOrder } from "../../../../src/domain/pages/components/layout.ts";

/** A page whose components are letters; those of one number are a group. */
const PAGE = ["a1", "b1", "c", "d2", "e2", "f"].map(([id = "", groupId = ""]) => ({
  id,
  groupId,
  isFilter: id === "f",
}));
const reorder = (ids: string) => () => checkPageOrder(PAGE, [...ids]);

describe("the order of a page", () => {
  for (const ids of ["abcdef", "fedcba", "cdebaf", "deabfc"]) {
    test(`may become ${ids}`, () => expect(reorder(ids)).not.toThrow());
  }

  for (const ids of ["acbdef", "adbcef", "abdcef", "bcdefa"]) {
    test(`may not become ${ids}, which tears a group apart`, () => {
      expect(reorder(ids)).toThrow(
        expect.objectContaining({ code: Code.FAILED_PRECONDITION, reason: "GROUP_NOT_ADJACENT" }),
      );
    });
  }

  for (const [ids, missing, unknown, repeated] of [
    ["", "a,b,c,d,e,f", "", ""],
    ["abcde", "f", "", ""],
    ["abcdefg", "", "g", ""],
    ["abcdeff", "", "", "f"],
    ["abggea", "c,d,f", "g", "g,a"],
  ] as const) {
    test(`may not become ${ids || "nothing"}, which is not all of it`, () => {
      expect(reorder(ids)).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "ORDER_INCOMPLETE",
          metadata: { field: "page_component_ids", missing, unknown, repeated },
        }),
      );
    });
  }
});

test("an order with an empty id is not that of the page", () => {
  expect(() => checkPageOrder(PAGE, [..."abcdef", ""])).toThrow(
    expect.objectContaining({ reason: "ORDER_INCOMPLETE" }),
  );
});

describe("the order of a large page", () => {
  const page = Array.from({ length: 20_000 }, (_, index) => ({
    id: `c${index}`,
    groupId: "",
    isFilter: false,
  }));

  test("is checked in a moment", () => {
    const ids = page.map(({ id }) => id).reverse();
    const start = performance.now();
    checkPageOrder(page, ids);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  test("is refused with the first twenty ids of each fault", () => {
    const missing = Array.from({ length: 20 }, (_, index) => `c${index}`).join(",");
    expect(() => checkPageOrder(page, [])).toThrow(
      expect.objectContaining({ metadata: expect.objectContaining({ missing }) }),
    );
  });
});
