import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Code } from "../../../../src/domain/base/errors.ts";
import {
  arrangeComponents,
  checkPageLayout,
  checkPageOrder,
  mergeOrder,
  type PagePlace,
} from "../../../../src/domain/pages/components/layout.ts";
import { openCases } from "../../../harness/cases.ts";
import { readCpu } from "../../../harness/cpu-time.ts";
import { rejection } from "../../../harness/rejection.ts";

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

// A component's own id is its group id; a group may be named like a component elsewhere.
each<[string]>("a page that is in order: [ ]", (text) => {
  expect(() => checkPageLayout(toPlaces(text))).not.toThrow();
});

const forbidden = (reason: string, metadata?: object) =>
  rejection(reason, undefined, { code: Code.FAILED_PRECONDITION, ...(metadata && { metadata }) });

test.each([
  [100, 99, true],
  [101, 100, false],
  [101, 0, false],
  // It had more before the limit: it may shrink and change.
  [150, 150, true],
  [149, 150, true],
  [151, 150, false],
])("a page has at most 100 components: %s after %s", (count, before, isAllowed) => {
  const text = Array.from({ length: count }, (_, it) => `c${it}`).join(" ");
  const check = expect(() => checkPageLayout(toPlaces(text), before));
  if (isAllowed) check.not.toThrow();
  else check.toThrow(forbidden("PAGE_COMPONENT_LIMIT"));
});

each<[string, string, string]>("a group that is not adjacent", (text, group_id, component_id) => {
  const want = forbidden("GROUP_NOT_ADJACENT", { group_id, component_id });
  expect(() => checkPageLayout(toPlaces(text))).toThrow(want);
});

test.each([
  ["a! b!", "a,b"],
  ["a! x b! c!", "a,b,c"],
  ["a:g! b:g!", "a,b"],
])("a second filter: [%s] is rejected with the filters", (text, component_ids) => {
  const want = forbidden("PAGE_FILTER_LIMIT", { component_ids });
  expect(() => checkPageLayout(toPlaces(text))).toThrow(want);
});

/** A page whose components are letters; those of one number are a group. */
const PAGE = ["a1", "b1", "c", "d2", "e2", "f"].map(([id = "", groupId = ""]) => ({
  ...{ id, groupId, isFilter: id === "f" },
}));
const reorder = (ids: string) => () => checkPageOrder(PAGE, [...ids]);

describe("the order of a page", () => {
  test.each(["abcdef", "fedcba", "cdebaf", "deabfc"])("may become %s", (ids) => {
    expect(reorder(ids)).not.toThrow();
  });

  test.each(["acbdef", "adbcef", "abdcef", "bcdefa"])("tears a group apart as %s", (ids) => {
    expect(reorder(ids)).toThrow(forbidden("GROUP_NOT_ADJACENT"));
  });

  test.each([
    ["", "a,b,c,d,e,f", "", ""],
    ["abcde", "f", "", ""],
    ["abcdefg", "", "g", ""],
    ["abcdeff", "", "", "f"],
    ["abggea", "c,d,f", "g", "g,a"],
  ])("may not become '%s', which is not all of it", (ids, missing, unknown, repeated) => {
    const metadata = { field: "page_component_ids", missing, unknown, repeated };
    expect(reorder(ids)).toThrow(rejection("ORDER_INCOMPLETE", undefined, { metadata }));
  });

  test("has no empty id", () => {
    expect(() => checkPageOrder(PAGE, [..."abcdef", ""])).toThrow(rejection("ORDER_INCOMPLETE"));
  });

  test("of 20,000 components is checked in a moment, and names the first twenty that miss", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `c${index}`);
    const page = ids.map((id) => ({ id, groupId: "", isFilter: false }));
    const start = readCpu();
    checkPageOrder(page, ids.toReversed());
    expect(readCpu() - start).toBeLessThan(1_000);
    const metadata = expect.objectContaining({ missing: ids.slice(0, 20).join(",") });
    expect(() => checkPageOrder(page, [])).toThrow(
      rejection("ORDER_INCOMPLETE", undefined, { metadata }),
    );
  });
});

each<[string, string, string, string]>(
  "the order of a page's components and a list of some of them",
  (_name, page, listed, want) => {
    expect(mergeOrder([...page], [...listed]).join("")).toBe(want);
  },
);

test("the order of a page's components and a list of some of them: holds everything once, the list in its order and the rest in its own", () => {
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

test.each([
  ["a new one is last", "abc", [["x"]], undefined, "abcx"],
  ["first of all", "abc", [["x", ""]], undefined, "xabc"],
  ["behind its predecessor", "abc", [["x", "a"]], undefined, "axbc"],
  [
    "behind one that is new, too, whichever comes first",
    "abc",
    [
      ["y", "x"],
      ["x", "a"],
    ],
    undefined,
    "axybc",
  ],
  ["behind none that is there", "abc", [["x", "z"]], undefined, "abcx"],
  [
    "in a circle of predecessors",
    "ab",
    [
      ["x", "y"],
      ["y", "x"],
    ],
    undefined,
    "abyx",
  ],
  ["in the order that is given", "abc", [["x", "a"]], "cbxa", "cbxa"],
  ["which may name others, and not all", "abc", [["x", "a"]], "cza", "cxba"],
] as const)("new components of a page: %s", (_name, page, added, order, want) => {
  const places = added.map(([id, predecessorId]) => ({ id, predecessorId }));
  const listed = places.map(({ id }) => id);
  const got = arrangeComponents([...page], listed, places, order && [...order]);
  expect(got.join("")).toBe(want);
});
