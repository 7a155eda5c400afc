import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { hasItems, type Listing } from "../../../../src/domain/pages/rendering/listing.ts";
import { findMirroredId } from "../../../../src/domain/pages/rendering/reference.ts";
import { ComponentTemplate } from "../../../../src/domain/pages/rendering/render-component.ts";
import { openCases } from "../../../harness/cases.ts";
import { createComponent } from "../components/members.ts";
import { CONTEXT, dropOf, renderComponent, show, withoutParsed } from "./rendering.ts";

const each = openCases("pages/rendering/content-grid");

const grid = (kind: "inline" | "reference", value: JsonObject) =>
  createComponent("content_grid", { source: { case: kind, value } }, { id: "grid" });
const inlineOf = ({ data }: PageComponent) =>
  data.case === "contentGrid" ? data.value.source.value : undefined;

const EVENTS = { type: "BASE_TYPE_EVENT" };

describe("an inline grid is read as a rail", () => {
  const want = {
    kind: "event",
    filter: 'f: "e1"',
    search: "a e1",
    order: "start_time desc",
    limit: 12,
    pinned: ["b", "a"],
    excludeGeoblocked: true,
    isCalendar: false,
    hidden: false,
  };
  const shared = { filter: "f: {id}", search: "a {id}", order: "start_time desc" };
  const lists = { pinned: ["b", "a", "b"] };

  test("in snake_case", () => {
    const inline = { ...EVENTS, ...shared, ...lists, limit: 12, exclude_geoblocked: true };
    expect(withoutParsed(show(grid("inline", inline)).listing)).toEqual(want);
  });

  test("in camelCase", () => {
    const inline = { type: 1, ...shared, ...lists, pageSize: "12", excludeGeoblocked: true };
    expect(withoutParsed(show(grid("inline", inline)).listing)).toEqual(want);
  });

  test("with its limit before its page size", () => {
    const { listing } = show(grid("inline", { ...EVENTS, limit: 3, page_size: 12 }));
    expect(listing?.limit).toBe(3);
  });

  test.each([
    ["snake_case", { additional_filters: { k: "f: {k}" }, additional_search: "query" }],
    ["camelCase", { additionalFilters: { k: "f: {k}" }, additionalSearch: "query" }],
  ] as const)("with the session, in %s", (_name, inline) => {
    const component = grid("inline", { ...EVENTS, ...inline });
    const known = show(component, { session: { k: [1, 2], query: "goal" } });
    expect(known.listing).toMatchObject({ filter: "f: (1 OR 2)", search: "goal", hidden: false });
    expect(show(component, { session: { other: 1 } }).listing?.hidden).toBe(true);
  });

  test("that ignores keys that it does not know if it says so", () => {
    for (const name of [
      "show_on_unmatched_additional_filters",
      "showOnUnmatchedAdditionalFilters",
    ]) {
      const component = grid("inline", { ...EVENTS, [name]: true });
      expect(show(component, { session: { other: 1 } }).listing?.hidden).toBe(false);
    }
  });
});

describe("an inline grid is delivered", () => {
  test("with values in its filter and search, else as it is stored", () => {
    const free = { card: { title: "{id}", n: [1, null] }, title: "{id}", limit: null, "": {} };
    const stored = { ...EVENTS, ...free, filter: "f: {id}", search: "{id}" };
    const { component } = show(grid("inline", stored));
    expect(inlineOf(component)).toEqual({ ...stored, filter: 'f: "e1"', search: "e1" });
  });

  test("without settings that it does not have", () => {
    expect(inlineOf(show(grid("inline", EVENTS)).component)).toEqual(EVENTS);
    const empty = { ...EVENTS, filter: null, search: "" };
    expect(inlineOf(show(grid("inline", empty)).component)).toEqual(empty);
  });

  test("with the clauses of its session as they are", () => {
    const stored = { ...EVENTS, additional_filters: { k: "f: {k}" } };
    expect(inlineOf(show(grid("inline", stored), { session: { k: 1 } }).component)).toEqual(stored);
  });
});

test.each([undefined, null, "BASE_TYPE_UNSPECIFIED", "BASE_TYPE_PLAYLIST", 9, {}] as const)(
  "an inline grid that does not say what it lists is shown without items: of type %j",
  (type) => {
    const inline = { ...(type !== undefined && { type }), title: "x", filter: "a: {id}" };
    const got = show(grid("inline", inline), { scope: () => "1" });
    expect(inlineOf(got.component)).toEqual({ ...inline, filter: 'a: "1"' });
    expect(got.listing).toMatchObject({ kind: undefined, filter: 'a: "1"' });
  },
);

each<[JsonObject, Partial<Listing>]>(
  "a setting of another type than a rail's says nothing and is given back",
  (setting, want) => {
    const inline = { type: "BASE_TYPE_EVENT", ...setting };
    const got = show(grid("inline", inline));
    expect(inlineOf(got.component)).toEqual(inline);
    expect(got.listing).toMatchObject({ kind: "event", ...want });
  },
);

describe("an inline grid is left out", () => {
  const PATH = "content_grid.inline";

  test.each<[JsonObject, readonly string[]]>([
    [{ ...EVENTS, order: "release_time asc" }, [`${PATH}.order`, "", "CONFIGURATION_INVALID"]],
    [{ ...EVENTS, filter: "f: (" }, [`${PATH}.filter`, "", "CONFIGURATION_INVALID"]],
    [{ ...EVENTS, search: "{" }, [`${PATH}.search`, "", "CONFIGURATION_INVALID"]],
    [{ ...EVENTS, filter: "f: {none}" }, [`${PATH}.filter`, "none", "VARIABLE_UNRESOLVED"]],
    [{ ...EVENTS, search: "{a.b}" }, [`${PATH}.search`, "a.b", "VARIABLE_UNRESOLVED"]],
  ])("%j", (inline, want) => {
    expect(dropOf(renderComponent(grid("inline", inline), CONTEXT))).toEqual(["grid", ...want]);
  });
});

describe("a grid that mirrors", () => {
  const mirrored = new Map(
    [
      createComponent(
        "rail",
        {
          ...{ type: BaseType.EVENT, filter: "f: {id}", order: "id asc", limit: 3, pinned: ["p"] },
          additionalFilters: { k: "g: {k}" },
        },
        { id: "rail" },
      ),
      createComponent("calendar_v2", { filter: "a: 1" }, { id: "calendar_v2" }),
      createComponent("calendar", { filter: "a: 1" }, { id: "calendar" }),
      createComponent("rail", { type: BaseType.EVENT, filter: "f: {none}" }, { id: "unresolved" }),
      createComponent("rail", {}, { id: "untyped" }),
      createComponent("text", {}, { id: "text" }),
      { ...grid("inline", { ...EVENTS, page_size: 5 }), id: "inline" },
      { ...grid("reference", { page_component_id: "rail" }), id: "reference" },
      createComponent("content_grid", {}, { id: "empty" }),
    ].map((it) => [it.id, new ComponentTemplate(it)]),
  );
  const mirror = (id: string) => grid("reference", { page_component_id: id });
  const context = { ...CONTEXT, mirrored };

  test("a rail has its settings but for the limit, and stays what it is", () => {
    const stored = mirror("rail");
    const { component, listing } = show(stored, context);
    expect(component).toEqual(create(PageComponentSchema, { ...stored, groupId: "grid" }));
    expect(listing).toMatchObject({ filter: 'f: "e1"', order: "id asc", limit: 0, pinned: ["p"] });
  });

  test("a rail has its session", () => {
    const known = show(mirror("rail"), { ...context, session: { k: 1 } });
    expect(known.listing).toMatchObject({ filter: 'f: "e1" AND g: 1', pinned: [], hidden: false });
    const unknown = show(mirror("rail"), { ...context, session: { other: 1 } });
    expect(unknown.listing?.hidden).toBe(true);
  });

  test("a calendar is one", () => {
    for (const id of ["calendar", "calendar_v2"]) {
      expect(show(mirror(id), context).listing).toMatchObject({ filter: "a: 1", isCalendar: true });
    }
  });

  test("an inline grid has its settings but for the page size", () => {
    expect(show(mirror("inline"), context).listing).toMatchObject({ kind: "event", limit: 0 });
  });

  test("by camelCase", () => {
    const stored = grid("reference", { pageComponentId: "rail", more: 1 });
    expect([findMirroredId(stored), show(stored, context).listing?.kind]).toEqual([
      "rail",
      "event",
    ]);
  });

  const PATH = "content_grid.reference";

  test.each([
    { page_component_id: "untyped" },
    { page_component_id: "" },
    { page_component_id: 5 },
    { component: "rail" },
    {},
  ])("%j is shown without items", (reference) => {
    const got = renderComponent(grid("reference", reference), context);
    expect(got).toMatchObject({ kind: "shown" });
    expect(got.kind === "shown" && hasItems(got.listing)).toBe(false);
  });
  test.each<[JsonObject, readonly string[]]>([
    [{ page_component_id: "nothing" }, [PATH, "", "REFERENCE_NOT_FOUND"]],
    [{ page_component_id: "text" }, [PATH, "", "REFERENCE_NOT_FOUND"]],
    [{ page_component_id: "reference" }, [PATH, "", "REFERENCE_NOT_FOUND"]],
    [{ page_component_id: "empty" }, [PATH, "", "REFERENCE_NOT_FOUND"]],
    [{ page_component_id: "unresolved" }, [PATH, "none", "VARIABLE_UNRESOLVED"]],
  ])("%j is left out", (reference, want) => {
    const got = renderComponent(grid("reference", reference), context);
    expect(dropOf(got)).toEqual(["grid", ...want]);
  });
});
