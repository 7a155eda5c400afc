import { describe, expect, test } from "vitest";
import { CopyIds, copyJson, copyKql, copyLink } from "../../src/transfer/copy-record.ts";

const ids = new CopyIds("q");
for (const id of ["e", "team-esp", "x y", "match"]) ids.known.add(id);
ids.slugs.add("match");
ids.slugs.add("a/b");

describe("a filter names the copies of what it named", () => {
  for (const [text, want] of [
    ["entity_ids: team-esp", "entity_ids: team-esp~q"],
    ['entity_ids:  "team-esp"  AND x: 1', 'entity_ids:  "team-esp~q"  AND x: 1'],
    ["fields.winner: team-esp and x.side: match", "fields.winner: team-esp~q and x.side: match"],
    ["not id: (e or not team-esp)", "not id: (e~q or not team-esp~q)"],
    ["fields.home.id: e and fields.home: e", "fields.home.id: e~q and fields.home: e"],
    ["fields.home: { id: e }", "fields.home: { id: e~q }"],
    ['id: "x y" or id: x y', 'id: "x y~q" or id: x y~q'],
    ["id: {id} and entity_ids: {event.entity_ids} and id: e", undefined],
    [
      "entity_ids: team-* and id: E and id >= e and e",
      "entity_ids: team-* and id: E and id >= e and e",
    ],
    ["id: other", "id: other"],
    ["id: (e", "id: (e"],
    ["", ""],
  ] as const) {
    test(text || "an empty one", () => {
      expect(copyKql(text, ids)).toBe(want ?? text.replace(/e$/, "e~q"));
    });
  }
});

describe("a link leads to the copies of what it led to", () => {
  for (const [link, want] of [
    ["/team?id=team-esp", "/team?id=team-esp~q"],
    ["/team?a=1&id=team%2Desp&b=e#e", "/team?a=1&id=team-esp~q&b=e~q#e"],
    ["/match/match", "/match/match~q"],
    ["/match", "/match"],
    ["/a/b/e", "/a/b/e~q"],
    ["/e/", "/e~q/"],
    ["/%zz?id=%zz", "/%zz?id=%zz"],
    ["//evil.example/e", "//evil.example/e"],
    ["https://a.example/?id=e", "https://a.example/?id=e"],
    ["", ""],
  ] as const) {
    test(link || "an empty one", () => expect(copyLink(link, ids)).toBe(want));
  }
});

describe("free JSON names the copies", () => {
  const json = {
    id: "e",
    team: { id: "team-esp", ids: ["e", "other"], name: "e" },
    offerIds: ["e"],
    paid: "e",
    href: "/x?id=e",
    filter: "id: e",
    additional_filters: { a: "id: e" },
    winner: "team-esp",
    options: ["e", { value: "team-esp", label: "e" }],
    count: 1,
    none: null,
  };
  const everywhere = {
    options: ["e", { value: "team-esp~q", label: "e" }],
    ...{ id: "e~q", team: { id: "team-esp~q", ids: ["e~q", "other"], name: "e" } },
    ...{
      offerIds: ["e~q"],
      paid: "e",
      href: "/x?id=e~q",
      winner: "team-esp~q",
      count: 1,
      none: null,
    },
  };

  test("of content", () => {
    const { filter, additional_filters } = json;
    const want = { ...everywhere, filter, additional_filters };
    expect(copyJson(json, "elsewhere", ids)).toEqual(want);
  });

  test("of a page component, with its filters", () => {
    expect(copyJson(json, "component", ids)).toEqual({
      ...everywhere,
      filter: "id: e~q",
      additional_filters: { a: "id: e~q" },
    });
  });
});

describe("the id of a copy", () => {
  const length = (id: string) => ids.toCopy(id).length;
  test("is at most 64 characters long, the same each time, and another for each id", () => {
    expect(ids.toCopy("x".repeat(62))).toBe(`${"x".repeat(62)}~q`);
    expect([length("x".repeat(62)), length("x".repeat(63)), length("x".repeat(500))]).toEqual([
      64, 64, 64,
    ]);
    expect(ids.toCopy("x".repeat(63))).toMatch(/^x{47}~[0-9a-f]{16}$/);
    const many = Array.from({ length: 1_000 }, (_, n) => ids.toCopy(`${"x".repeat(70)}${n}`));
    expect(new Set(many).size).toBe(1_000);
    expect(ids.toCopy("x".repeat(63))).toBe(new CopyIds("q").toCopy("x".repeat(63)));
    expect(ids.toCopy("")).toBe("");
  });
});
