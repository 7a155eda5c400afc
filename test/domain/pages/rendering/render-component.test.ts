import { clone, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { DATA_MEMBERS } from "../../../../src/domain/pages/components/data-member.ts";
import {
  checkReferences,
  type RenderContext,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { openCases } from "../../../harness/cases.ts";
import { createComponent, MEMBERS, readComponent } from "../components/members.ts";
import { CONTEXT, dropOf, renderComponent, show, withoutParsed } from "./rendering.ts";

const each = openCases("pages/rendering/render-component");

const EVENTS = { type: BaseType.EVENT };
const LISTING = {
  ...{ kind: "event", filter: "", search: "", order: "", limit: 0, pinned: [] },
  ...{ excludeGeoblocked: false, isCalendar: false, hidden: false },
};

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

each<[JsonObject, object]>("a listing", (component, want) => {
  expect(withoutParsed(show(readComponent(component)).listing)).toEqual({ ...LISTING, ...want });
});

test("a listing of a rail by its legacy name", () => {
  const rail = createComponent("rail", EVENTS, { type: "content_carousel" });
  const { component, listing } = show(rail);
  expect([component.type, withoutParsed(listing)]).toEqual(["content_carousel", LISTING]);
});

const CLAUSES = { additional_filters: { season: "s: {season}" } };
const SESSION_COMPONENTS = {
  rail: {
    ...{ ...CLAUSES, filter: "a: 1 or b: 2", additional_search: "query" },
    ...{ type: "BASE_TYPE_EVENT", search: "{id}", pinned: ["p"] },
  },
  calendar_v2: { ...CLAUSES, filter: "a: 1" },
  calendar: { filter: "a: 1" },
};

each<[string, keyof typeof SESSION_COMPONENTS, RenderContext["session"], object]>(
  "the session",
  (_name, member, session, want) => {
    const component = readComponent({ [member]: SESSION_COMPONENTS[member] });
    expect(show(component, { session }).listing).toMatchObject(want);
  },
);

each<[JsonObject, string[]]>("a component is left out", (component, want) => {
  expect(dropOf(renderComponent(readComponent(component), CONTEXT))).toEqual(["c", ...want]);
});

test("a component is left out whose filter or search is too large, alone or with its session", () => {
  const half = { filter: `a: ${"x".repeat(8_192 - 10)}`, additional_filters: { k: "f: {k}" } };
  for (const [field, component, session] of [
    ["rail.filter", { rail: { filter: "x".repeat(8_192 + 1) } }, {}],
    ["rail.search", { rail: { search: "w ".repeat(256) } }, {}],
    ["rail.filter", { rail: half }, { k: "x".repeat(8_093) }],
    ["calendar_v2.filter", { calendar_v2: half }, { k: "yyyyyyyyyy" }],
  ] as const) {
    const got = dropOf(renderComponent(readComponent(component), { ...CONTEXT, session }));
    expect(got).toEqual(["c", field, "", "CONFIGURATION_INVALID"]);
  }
});

each<[JsonObject, string[] | undefined]>("a reference", (component, want) => {
  const shown = show(readComponent(component));
  const got = shown.references?.map((it) => [it.kind, it.id, it.field, it.variable]);
  expect(got).toEqual(want && [want]);
  expect(checkReferences(shown, () => true)).toBe(shown);
  expect(dropOf(checkReferences(shown, () => false))).toEqual(
    want && ["c", want[2], want[3], "REFERENCE_NOT_FOUND"],
  );
});

describe("a reference", () => {
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
