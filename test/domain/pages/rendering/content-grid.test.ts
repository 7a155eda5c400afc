import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { hasItems, type Listing } from "../../../../src/domain/pages/rendering/listing.ts";
import { findMirroredId } from "../../../../src/domain/pages/rendering/reference.ts";
import {
  ComponentTemplate,
  type RenderContext,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { openCases } from "../../../harness/cases.ts";
import { createComponent, readComponent } from "../components/members.ts";
import { CONTEXT, dropOf, renderComponent, show, withoutParsed } from "./rendering.ts";

const each = openCases("pages/rendering/content-grid");

type Session = RenderContext["session"];

const grid = (kind: "inline" | "reference", value: JsonObject) =>
  createComponent("content_grid", { source: { case: kind, value } }, { id: "grid" });
const inlineOf = ({ data }: PageComponent) =>
  data.case === "contentGrid" ? data.value.source.value : undefined;

each<[string, JsonObject, Session, Partial<Listing>]>(
  "an inline grid is read as a rail",
  (_name, inline, session, want) => {
    const { listing } = show(grid("inline", inline), { session });
    expect(withoutParsed(listing)).toMatchObject(want);
  },
);

each<[string, JsonObject, Session, JsonObject]>(
  "an inline grid is delivered",
  (_name, inline, session, want) => {
    expect(inlineOf(show(grid("inline", inline), { session }).component)).toEqual(want);
  },
);

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

each<[JsonObject, string, string, string]>(
  "an inline grid is left out",
  (inline, field, variable, reason) => {
    const got = dropOf(renderComponent(grid("inline", inline), CONTEXT));
    expect(got).toEqual(["grid", `content_grid.inline.${field}`, variable, reason]);
  },
);

describe("a grid that mirrors", () => {
  const clauses = { additional_filters: { k: "g: {k}" }, order: "id asc", limit: 3, pinned: ["p"] };
  const EVENT = "BASE_TYPE_EVENT";
  const COMPONENTS: Readonly<Record<string, JsonObject>> = {
    rail: { rail: { ...clauses, type: EVENT, filter: "f: {id}" } },
    calendar_v2: { calendar_v2: { filter: "a: 1" } },
    calendar: { calendar: { filter: "a: 1" } },
    unresolved: { rail: { type: EVENT, filter: "f: {none}" } },
    untyped: { rail: {} },
    text: { text: {} },
    inline: { content_grid: { inline: { type: EVENT, page_size: 5 } } },
    reference: { content_grid: { reference: { page_component_id: "rail" } } },
    empty: { content_grid: {} },
  };
  const mirrored = new Map(
    Object.entries(COMPONENTS).map(([id, json]) => [
      id,
      new ComponentTemplate(readComponent({ ...json, id })),
    ]),
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

  test.each<[string, Partial<Listing>]>([
    ["calendar", { filter: "a: 1", isCalendar: true }],
    ["calendar_v2", { filter: "a: 1", isCalendar: true }],
    ["inline", { kind: "event", limit: 0 }],
  ])("%s has its settings but for the page size", (id, want) => {
    expect(show(mirror(id), context).listing).toMatchObject(want);
  });

  test("by camelCase", () => {
    const stored = grid("reference", { pageComponentId: "rail", more: 1 });
    expect([findMirroredId(stored), show(stored, context).listing?.kind]).toEqual([
      ...["rail", "event"],
    ]);
  });

  test.each<JsonObject>([
    ...["untyped", "", 5].map((id) => ({ page_component_id: id })),
    { component: "rail" },
    {},
  ])("%j is shown without items", (reference) => {
    const got = renderComponent(grid("reference", reference), context);
    expect(got).toMatchObject({ kind: "shown" });
    expect(got.kind === "shown" && hasItems(got.listing)).toBe(false);
  });

  each<[string, string, string]>("a grid that mirrors it is left out", (id, variable, reason) => {
    const got = dropOf(renderComponent(mirror(id), context));
    expect(got).toEqual(["grid", "content_grid.reference", variable, reason]);
  });
});
