import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { componentsOf, droppedOf, getPage } from "./pages.ts";

const marquee = await useMarquee();

describe("a page about an object", () => {
  const objects = [
    ["match", "event", "match-2026-104", "player-match"],
    ["player", "entity", "player-esp-7", "profile-player"],
    ["highlights", "creativeWork", "highlights-2026-104", "player-highlights"],
  ] as const;
  for (const [slug, kind, id, player] of objects) {
    test(`${kind} has it, and its player shows it`, async () => {
      const message = { slug, parameters: { id }, includeItems: true };
      const got = await getPage(marquee, message);
      expect(got.json.object[kind].id).toBe(id);
      expect(componentsOf(got).get(player)?.items).toEqual([got.json.object]);
    });
  }

  test("has the variables of its filters in their places", async () => {
    const got = await getPage(marquee, { slug: "match", parameters: { id: "match-2026-104" } });
    expect(componentsOf(got).get("rail-match-season")).toMatchObject({
      filter: 'content_type: match and fields.season.id: "2026" and not id: "match-2026-104"',
      component: { rail: { filter: expect.stringContaining('fields.season.id: "2026"') } },
    });
    expect(componentsOf(got).get("rail-match-players")?.filter).toBe(
      'content_type: player and fields.team.id: ("team-esp" OR "team-arg" OR "stadium-2026-metlife-stadium")',
    );
  });

  const RAILS = [
    ["rail-match-players", "rail.filter", "event.entity_ids", "VARIABLE_UNRESOLVED"],
    ["rail-match-season", "rail.filter", "event.fields.season.id", "VARIABLE_UNRESOLVED"],
  ];
  const NO_ID = [
    ["player-match", "event_player.id", "id", "VARIABLE_UNRESOLVED"],
    ["rail-match-highlights", "rail.filter", "id", "VARIABLE_UNRESOLVED"],
    ...RAILS,
  ];
  const absent: readonly (readonly [string, object, readonly (readonly string[])[]])[] = [
    ["no parameter", {}, NO_ID],
    ["an empty one", { id: "" }, NO_ID],
    ["undeclared ones", { event: "match-2026-104", ID: "match-2026-104" }, NO_ID],
  ];
  for (const [name, parameters, want] of absent) {
    test(`with ${name} leaves out what needs it`, async () => {
      const got = await getPage(marquee, { slug: "match", parameters, includeItems: true });
      expect(got.json.object).toBeUndefined();
      expect(droppedOf(got)).toEqual(want);
      const left = want.map(([id]) => id);
      const all = ["player-match", "rail-match-highlights", "rail-match-players"];
      all.push("rail-match-season", "standings-match", "text-match");
      expect([...componentsOf(got).keys()]).toEqual(all.filter((id) => !left.includes(id)));
    });
  }
});

describe("a page about an object that is not there is not found", () => {
  for (const id of ["match-1", "team-esp", "sandbox-match-1", "{id}", '" OR *']) {
    test(`with ${id}`, async () => {
      const got = await getPage(marquee, { slug: "match", parameters: { id } });
      expect([got.status, reasonOf(got), metadataOf(got)]).toEqual([
        ...[404, "RESOURCE_NOT_FOUND", { resource: `event ${id}` }],
      ]);
    });
  }
});

describe("parameters are values and never syntax", () => {
  test("a q past the limits leaves out what searches for it", async () => {
    const got = await getPage(marquee, { slug: "search", parameters: { q: "x".repeat(300) } });
    expect(droppedOf(got)).toEqual([
      ["rail-search-matches", "rail.search", "", "CONFIGURATION_INVALID"],
      ["rail-search-people", "rail.search", "", "CONFIGURATION_INVALID"],
    ]);
    expect([...componentsOf(got).keys()]).toEqual(["grid-search"]);
  });

  test("without q, what searches for it is left out", async () => {
    for (const parameters of [{}, { q: "" }]) {
      expect(droppedOf(await getPage(marquee, { slug: "search", parameters }))).toEqual([
        ["rail-search-matches", "rail.search", "q", "VARIABLE_UNRESOLVED"],
        ["rail-search-people", "rail.search", "q", "VARIABLE_UNRESOLVED"],
      ]);
    }
  });
});
