import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Code } from "../../../../src/domain/errors.ts";
import {
  checkPageLayout,
  checkPageOrder,
  mergeOrder,
  type PagePlace,
} from "../../../../src/domain/pages/components/layout.ts";
import { openCases } from "../../../harness/cases.ts";
import { refusal } from "../../../harness/refusal.ts";

const each = openCases("pages/components/layout");

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

test.each([
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
])("a page that is in order: [%s]", (text) => {
  expect(() => checkPageLayout(toPlaces(text))).not.toThrow();
});

describe("a page has at most 100 components", () => {
  const page = (count: number) =>
    toPlaces(Array.from({ length: count }, (_, it) => `c${it}`).join(" "));
  test.each([
    [100, 99, true],
    [101, 100, false],
    [101, 0, false],
    // It had more before the limit: it may shrink and change.
    [150, 150, true],
    [149, 150, true],
    [151, 150, false],
  ] as const)("%s", (count, before, isAllowed) => {
    const check = expect(() => checkPageLayout(page(count), before));
    if (isAllowed) check.not.toThrow();
    else
      check.toThrow(refusal("PAGE_COMPONENT_LIMIT", undefined, { code: Code.FAILED_PRECONDITION }));
  });
});

each<[string, string, string]>("a group that is not adjacent", (text, groupId, componentId) => {
  expect(() => checkPageLayout(toPlaces(text))).toThrow(
    expect.objectContaining({
      code: Code.FAILED_PRECONDITION,
      reason: "GROUP_NOT_ADJACENT",
      metadata: { group_id: groupId, component_id: componentId },
    }),
  );
});

test.each([
  ["a! b!", "a,b"],
  ["a! x b! c!", "a,b,c"],
  ["a:g! b:g!", "a,b"],
] as const)("a second filter: [%s] is refused with the filters", (text, ids) => {
  expect(() => checkPageLayout(toPlaces(text))).toThrow(
    expect.objectContaining({
      code: Code.FAILED_PRECONDITION,
      reason: "PAGE_FILTER_LIMIT",
      metadata: { component_ids: ids },
    }),
  );
});

describe("orders", () => {
  /** A page whose components are letters; those of one number are a group. */
  const PAGE = ["a1", "b1", "c", "d2", "e2", "f"].map(([id = "", groupId = ""]) => ({
    id,
    groupId,
    isFilter: id === "f",
  }));
  const reorder = (ids: string) => () => checkPageOrder(PAGE, [...ids]);

  describe("the order of a page", () => {
    test.each(["abcdef", "fedcba", "cdebaf", "deabfc"])("may become %s", (ids) => {
      expect(reorder(ids)).not.toThrow();
    });

    test.each(["acbdef", "adbcef", "abdcef", "bcdefa"])(
      "may not become %s, which tears a group apart",
      (ids) => {
        expect(reorder(ids)).toThrow(
          expect.objectContaining({ code: Code.FAILED_PRECONDITION, reason: "GROUP_NOT_ADJACENT" }),
        );
      },
    );

    test.each([
      ["", "a,b,c,d,e,f", "", ""],
      ["abcde", "f", "", ""],
      ["abcdefg", "", "g", ""],
      ["abcdeff", "", "", "f"],
      ["abggea", "c,d,f", "g", "g,a"],
    ] as const)("may not become %s", (ids, missing, unknown, repeated) => {
      expect(reorder(ids)).toThrow(
        refusal("ORDER_INCOMPLETE", undefined, {
          metadata: { field: "page_component_ids", missing, unknown, repeated },
        }),
      );
    });
  });

  test("an order with an empty id is not that of the page", () => {
    expect(() => checkPageOrder(PAGE, [..."abcdef", ""])).toThrow(refusal("ORDER_INCOMPLETE"));
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
});

describe("the order of a page's components and a list of some of them", () => {
  each<[string, string, string, string]>(
    "the order of a page's components and a list of some of them",
    (_name, page, listed, want) => {
      expect(mergeOrder([...page], [...listed]).join("")).toBe(want);
    },
  );

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
