import { clone } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { DATA_MEMBERS } from "../../../../src/domain/pages/components/data-member.ts";
import { checkReferences } from "../../../../src/domain/pages/rendering/render-component.ts";
import { createComponent, MEMBERS } from "../components/members.ts";
import { CONTEXT, dropOf, renderComponent, show, withoutParsed } from "./rendering.ts";

const EVENTS = { type: BaseType.EVENT };
const LISTING = {
  kind: "event",
  filter: "",
  search: "",
  order: "",
  limit: 0,
  pinned: [],
  excludeGeoblocked: false,
  isCalendar: false,
  hidden: false,
};

const CALENDAR = { order: "start_time asc", isCalendar: true };
const ENTITIES = { kind: "entity", order: "title.en asc" };
const UNRESOLVED = "VARIABLE_UNRESOLVED";
const INVALID = "CONFIGURATION_INVALID";

describe("a component that lists nothing is given back", () => {
  const lists = ["rail", "calendar", "calendar_v2", "content_grid"];
  test.each(DATA_MEMBERS.filter((it) => !lists.includes(it)))("%s", (name) => {
    const { component, listing } = show(createComponent(name, MEMBERS[name], { groupId: "g" }));
    const id = name === "player_profile" ? { id: "e1" } : MEMBERS[name];
    expect(component).toEqual(createComponent(name, id, { groupId: "g" }));
    expect(listing).toBeUndefined();
  });
});

test("a component without a group is its own group, and what is stored stays as it is", () => {
  const stored = createComponent("rail", { ...EVENTS, filter: "f: {id}" });
  const before = clone(PageComponentSchema, stored);
  const { component } = show(stored);
  expect([component.groupId, component.data.value]).toMatchObject(["c", { filter: 'f: "e1"' }]);
  expect(stored).toEqual(before);
});

describe("a listing", () => {
  test.each<[string, object, object]>([
    ["rail", EVENTS, {}],
    ["rail", { type: BaseType.CREATIVE_WORK }, { kind: "creative_work" }],
    ["rail", { type: BaseType.ENTITY, order: "title.en asc" }, ENTITIES],
    ["rail", { type: BaseType.ENTITY, excludeGeoblocked: true }, { kind: "entity" }],
    ["rail", { ...EVENTS, excludeGeoblocked: true }, { excludeGeoblocked: true }],
    ["rail", { ...EVENTS, limit: 7, order: "id desc" }, { limit: 7, order: "id desc" }],
    ["rail", { ...EVENTS, pinned: ["b", "a", "b"] }, { pinned: ["b", "a"] }],
    ["rail", { ...EVENTS, search: "{q}" }, { search: 'say "hi" OR *' }],
    ["rail", { ...EVENTS, filter: "f: {q}" }, { filter: String.raw`f: "say \"hi\" OR *"` }],
    ["rail", { ...EVENTS, filter: "f: {event.entity_ids}" }, { filter: 'f: ("a" OR "b")' }],
    ["calendar", { filter: "f: {id}" }, { ...CALENDAR, filter: 'f: "e1"' }],
    ["calendar_v2", { filter: "f: {id}" }, { ...CALENDAR, filter: 'f: "e1"' }],
    ["calendar_v2", { excludeGeoblocked: true }, { ...CALENDAR, excludeGeoblocked: true }],
  ])("of %s %j", (name, value, want) => {
    const { listing } = show(createComponent(name, value));
    expect(withoutParsed(listing)).toEqual({ ...LISTING, ...want });
  });

  test("of a rail by its legacy name", () => {
    const rail = createComponent("rail", EVENTS, { type: "content_carousel" });
    const { component, listing } = show(rail);
    expect([component.type, withoutParsed(listing)]).toEqual(["content_carousel", LISTING]);
  });
});

describe("the session", () => {
  const clauses = { additionalFilters: { season: "s: {season}" } };
  const rail = createComponent("rail", {
    ...{ ...EVENTS, ...clauses, filter: "a: 1 or b: 2", additionalSearch: "query" },
    ...{ search: "{id}", pinned: ["p"] },
  });
  const calendar = createComponent("calendar_v2", { ...clauses, filter: "a: 1" });
  const old = createComponent("calendar", { filter: "a: 1" });

  test.each<[string, typeof rail, object, object]>([
    ["empty", rail, {}, { filter: "a: 1 or b: 2", search: "e1", pinned: ["p"] }],
    ["a key", rail, { season: "x" }, { filter: '(a: 1 or b: 2) AND s: "x"', pinned: [] }],
    ["a list", rail, { season: ["x", 2] }, { filter: '(a: 1 or b: 2) AND s: ("x" OR 2)' }],
    ["the search", rail, { query: "goal" }, { search: "goal", pinned: [], hidden: false }],
    ["null", rail, { season: null }, { filter: "a: 1 or b: 2", pinned: ["p"] }],
    ["an unknown key", rail, { other: 1 }, { hidden: true, pinned: ["p"] }],
    ["a key of a calendar", calendar, { season: 1 }, { filter: "a: 1 AND s: 1", hidden: false }],
    ["an unknown key of a calendar", calendar, { other: 1 }, { filter: "a: 1", hidden: true }],
    ["an unknown key of an old calendar", old, { season: 1 }, { filter: "a: 1", hidden: false }],
  ])("with %s", (_name, component, session, want) => {
    const { listing } = show(component, { session: session as typeof CONTEXT.session });
    expect(listing).toMatchObject(want);
  });
});

describe("a component is left out", () => {
  const long = "x".repeat(8_192 + 1);
  const words = "w ".repeat(256);
  const clauses = { additionalFilters: { k: "f: {k}" } };
  const half = `a: ${"x".repeat(8_192 - 10)}`;

  test.each<[string, object, readonly string[], object?]>([
    ["rail", { ...EVENTS, filter: "f: {none}" }, ["rail.filter", "none", UNRESOLVED]],
    ["rail", { ...EVENTS, search: "{entity.id}" }, ["rail.search", "entity.id", UNRESOLVED]],
    ["calendar", { filter: "f: {none}" }, ["calendar.filter", "none", UNRESOLVED]],
    ["calendar_v2", { filter: "f: {a.b}" }, ["calendar_v2.filter", "a.b", UNRESOLVED]],
    ["player_profile", { id: "{none}" }, ["player_profile.id", "none", UNRESOLVED]],
    ["rail", { ...EVENTS, filter: "f: (" }, ["rail.filter", "", INVALID]],
    ["rail", { ...EVENTS, filter: long }, ["rail.filter", "", INVALID]],
    ["rail", { ...EVENTS, search: "{a b}" }, ["rail.search", "", INVALID]],
    ["rail", { ...EVENTS, search: words }, ["rail.search", "", INVALID]],
    ["rail", { ...EVENTS, order: "release_time asc" }, ["rail.order", "", INVALID]],
    [
      "rail",
      { ...EVENTS, ...clauses, filter: half },
      ["rail.filter", "", INVALID],
      { k: long.slice(100) },
    ],
    [
      "calendar_v2",
      { ...clauses, filter: half },
      ["calendar_v2.filter", "", INVALID],
      { k: "yyyyyyyyyy" },
    ],
    ["event_player", { content: { case: "id", value: "{" } }, ["event_player.id", "", INVALID]],
  ])("%s", (name, value, want, session) => {
    const context = {
      ...CONTEXT,
      ...(session && { session: session as typeof CONTEXT.session }),
    };
    expect(dropOf(renderComponent(createComponent(name, value), context))).toEqual(["c", ...want]);
  });
});

describe("a reference", () => {
  const byId = (value: string) => ({ content: { case: "id", value } });

  test.each<[string, object, readonly string[] | undefined]>([
    ["banner_collection", { id: "b" }, ["banner_collection", "b", "banner_collection.id", ""]],
    [
      "banner_collection_v2",
      { id: "b-{event.fields.season.id}-{id}" },
      ["banner_collection", "b-s9-e1", "banner_collection_v2.id", "event.fields.season.id"],
    ],
    [
      "creative_work_player",
      byId("{id}"),
      ["creative_work", "e1", "creative_work_player.id", "id"],
    ],
    ["event_player", byId("x"), ["event", "x", "event_player.id", ""]],
    ["player_profile", { id: "{id}" }, ["entity", "e1", "player_profile.id", "id"]],
    ["banner_collection", {}, undefined],
    ["event_player", {}, undefined],
    ["event_player", byId(""), undefined],
    ["event_player", { content: { case: "query", value: { id: "{id}" } } }, undefined],
    ["offers", {}, undefined],
    ["offers", { offer: [{}, { offer_id: 1 }, { offer_id: "" }, { id: "a" }] }, undefined],
    ["offers", { offer: [{ offer_id: "{id}" }] }, ["offer", "{id}", "offers.offer", ""]],
  ])("of %s %j", (name, value, want) => {
    const shown = show(createComponent(name, value));
    const got = shown.references?.map((it) => [it.kind, it.id, it.field, it.variable]);
    expect(got).toEqual(want && [want]);
    expect(checkReferences(shown, () => true)).toBe(shown);
    expect(dropOf(checkReferences(shown, () => false))).toEqual(
      want && ["c", want[2], want[3], "REFERENCE_NOT_FOUND"],
    );
  });

  test("of cards is each of their offers once, the first hundred, and one is enough", () => {
    const ids = Array.from({ length: 101 }, (_, at) => `o${at}`);
    const offer = [...ids.slice(0, 50), "o0", ...ids.slice(50)].map((id, at) =>
      at % 2 === 0 ? { offer_id: id } : { offerId: id },
    );
    const shown = show(createComponent("offers", { offer }));
    expect(shown.references?.map(({ id }) => id)).toEqual(ids.slice(0, 100));
    expect(checkReferences(shown, ({ id }) => id === "o99")).toBe(shown);
    expect(dropOf(checkReferences(shown, ({ id }) => id === "o100"))).toEqual([
      ...["c", "offers.offer", "", "REFERENCE_NOT_FOUND"],
    ]);
  });

  test("of what is left out already is not looked at", () => {
    const dropped = renderComponent(createComponent("player_profile", { id: "{none}" }), CONTEXT);
    expect(checkReferences(dropped, () => false)).toBe(dropped);
  });
});
