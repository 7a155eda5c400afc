import { expect, test } from "vitest";
import { compareComponents, compareValues } from "../../web/studio/drawing/compare.ts";
import { printValue } from "../../web/studio/drawing/text.ts";

const component = (id: string, name = id, items: readonly string[] = []) => ({
  component: { id, type: "rail", name, updateTime: `2026-01-01T00:00:00.${name.length}Z` },
  items: items.map((it) => ({ event: { id: it, title: { en: `Title ${it}` } } })),
});

/** The ids of a current page and of its preview, and the result: `+` added, `-` removed, `>` moved, `*` changed. */
const ORDERS: readonly (readonly [current: string, preview: string, want: string])[] = [
  ["", "", ""],
  ["", "ab", "+a +b"],
  ["ab", "", "-a -b"],
  ["abc", "abc", "a b c"],
  ["abc", "axbc", "a +x b c"],
  ["abc", "ac", "a -b c"],
  ["abc", "bc", "-a b c"],
  ["abcd", "ad", "a -b -c d"],
  ["abcd", "dabc", ">d a b c"],
  ["abcd", "bcda", "b c d >a"],
  ["abcd", "badc", "b >a d >c"],
  ["abcd", "xdb", "-a +x d >b -c"],
];
const MARKS = { added: "+", removed: "-", moved: ">", changed: "*" } as const;

test.each(ORDERS)("a current page %j compares with the preview %j", (current, preview, want) => {
  const got = compareComponents(
    [...current].map((id) => component(id)),
    [...preview].map((id) => component(id)),
  );
  const text = got.map(({ resolved, changes }) => {
    return changes.map((it) => MARKS[it]).join("") + resolved.component?.id;
  });
  expect(text.join(" ")).toBe(want);
});

test("a component that is changed and moved is both, and its times do not count", () => {
  const current = [component("a"), component("b"), component("c")];
  const [got, ...others] = compareComponents(current, [
    component("c", "C"),
    component("a"),
    component("b"),
  ]);
  expect(got?.changes).toEqual(["changed", "moved"]);
  expect(got?.differences).toEqual([{ path: "component.name", current: "c", preview: "C" }]);
  expect(others.flatMap(({ changes }) => changes)).toEqual([]);
});

test("another list of items is one difference, with the titles that only one of them has", () => {
  const [got] = compareComponents(
    [component("a", "a", ["1", "2"])],
    [component("a", "a", ["2", "3"])],
  );
  expect(got?.differences).toEqual([{ path: "items", current: ["Title 1"], preview: ["Title 3"] }]);
  const [turned] = compareComponents(
    [component("a", "a", ["1", "2"])],
    [component("a", "a", ["2", "1"])],
  );
  expect(turned?.differences).toEqual([
    { path: "items", current: ["Title 1", "Title 2"], preview: ["Title 2", "Title 1"] },
  ]);
});

test.each<[unknown, unknown, object[]]>([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, {}, [{ path: "a", current: 1, preview: undefined }]],
  [{ a: { b: 1 } }, { a: { b: 2 } }, [{ path: "a.b", current: 1, preview: 2 }]],
  [{ a: [1, 2] }, { a: [1, 3] }, [{ path: "a", current: [1, 2], preview: [1, 3] }]],
  [{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }, [{ path: "a[0].b", current: 1, preview: 2 }]],
  [{ a: [] }, { a: [{ b: 2 }] }, [{ path: "a", current: [], preview: [{ b: 2 }] }]],
  [
    { a: [{ id: "x", b: 1 }, { id: "y" }] },
    { a: [{ id: "y" }, { id: "x", b: 2 }] },
    [
      {
        path: "a",
        current: [{ id: "x", b: 1 }, { id: "y" }],
        preview: [{ id: "y" }, { id: "x", b: 2 }],
      },
      { path: "a[1].b", current: 1, preview: 2 },
    ],
  ],
  [
    { a: [{ title: { en: "X" } }] },
    { a: [{ title: { en: "Y" } }] },
    [{ path: "a[0].title.en", current: "X", preview: "Y" }],
  ],
  [{ a: "x", updateTime: "1" }, { a: "x", updateTime: "2" }, []],
])("%j differs from %j by value and path", (current, preview, want) => {
  expect(compareValues(current, preview)).toEqual(want);
});

test.each([
  [["a", "b"], "a, b"],
  [[], "nothing"],
  [
    [{ title: { en: "Final", de: "Finale" } }, { url: "/goals" }, { rank: 1 }],
    "Final, /goals, rank: 1",
  ],
  [{ start: "2026", end: null }, "start: 2026, end: nothing"],
])("%j is written for people as %j", (value, want) => {
  expect(printValue(value, "en")).toBe(want);
});
