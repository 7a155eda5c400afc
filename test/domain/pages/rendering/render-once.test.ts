import { create, toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { findJsonText } from "../../../../src/domain/messages/json-text.ts";
import {
  type RenderContext,
  type RenderedComponent,
  renderComponent,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { renderOnce } from "../../../../src/domain/pages/rendering/render-once.ts";
import { createComponent } from "../components/members.ts";
import { CONTEXT } from "./rendering.ts";

/** Filters and other texts: plain, with variables, with those of a clause, malformed. */
const filter = fc.constantFrom("", "a: b", "a: {id}", "a: {none}", "a: {q} or c: d", "a: (");
const text = fc.constantFrom("", "final", "{id}", "of {id}", "{none}", "{");
const clauses = fc.dictionary(
  fc.constantFrom("k", "l"),
  fc.constantFrom("g: {k}", "g: h", "g: {l.ids}", "g: ("),
  { maxKeys: 2 },
);
const order = fc.constantFrom("", "id asc", "start_time desc", "sideways");
const rail = fc.record({
  type: fc.constantFrom(BaseType.UNSPECIFIED, BaseType.EVENT, BaseType.ENTITY),
  ...{ filter, search: text, order, additionalFilters: clauses },
  additionalSearch: fc.constantFrom("", "k", "query"),
  pinned: fc.constantFrom([], ["b", "a", "b"]),
  limit: fc.constantFrom(0, 3),
  excludeGeoblocked: fc.boolean(),
  showOnUnmatchedAdditionalFilters: fc.boolean(),
  card: fc.constantFrom(undefined, { title: "{id}" }),
});
const inline = fc.record(
  { type: fc.constant("BASE_TYPE_EVENT"), filter, search: text, order, card: fc.jsonValue() },
  { requiredKeys: [] },
);

/** The data of components that are shown with or without variables, items and references. */
const data: fc.Arbitrary<PageComponent["data"]> = fc.oneof(
  rail.map((value) => ({ case: "rail", value })),
  fc
    .record({ filter, additionalFilters: clauses, showOnUnmatchedAdditionalFilters: fc.boolean() })
    .map((value) => ({ case: "calendarV2", value })),
  filter.map((it) => ({ case: "calendar", value: { filter: it } })),
  inline.map((value) => ({ case: "contentGrid", value: { source: { case: "inline", value } } })),
  fc.constantFrom("rail", "text", "gone").map((id) => ({
    ...{
      case: "contentGrid",
      value: { source: { case: "reference", value: { pageComponentId: id } } },
    },
  })),
  text.map((value) => ({ case: "eventPlayer", value: { content: { case: "id", value } } })),
  inline.map((value) => ({ case: "eventPlayer", value: { content: { case: "query", value } } })),
  text.map((id) => ({ case: "bannerCollectionV2", value: { id } })),
  text.map((id) => ({ case: "offers", value: { offer: [{ offerId: id }] } })),
  fc.jsonValue().map((it) => ({ case: "text", value: { it } })),
  fc.constant({ case: undefined }),
) as fc.Arbitrary<PageComponent["data"]>;

const component = fc
  .record({ data, groupId: fc.constantFrom("", "g"), name: fc.string() })
  .map((it) => create(PageComponentSchema, { id: "c", ...it }));

const session = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom("k", "l", "query", "other"), fc.jsonValue({ maxDepth: 2 })),
) as fc.Arbitrary<RenderContext["session"]>;

const context: fc.Arbitrary<RenderContext> = fc
  .record({ id: fc.constantFrom("e1", "e2", undefined), session, filter })
  .map(({ id, session: sent, filter: own }) => ({
    scope: (path) => (path === "id" ? id : CONTEXT.scope(path)),
    session: sent,
    mirrored: new Map([
      ["rail", createComponent("rail", { type: BaseType.EVENT, filter: own }, { id: "rail" })],
      ["text", createComponent("text", { a: 1 }, { id: "text" })],
    ]),
  }));

/** Leaves out the JSON text that a component keeps. */
function toPlain(it: RenderedComponent) {
  return it.kind === "shown" ? { ...it, component: toJson(PageComponentSchema, it.component) } : it;
}

test("a component rendered once for all is what it would be if rendered each time", () => {
  let reused = 0;
  fc.assert(
    fc.property(
      component,
      fc.array(context, { minLength: 2, maxLength: 5 }),
      (stored, contexts) => {
        const before = toBinary(PageComponentSchema, stored);
        const got = contexts.map((it) => renderOnce(stored, it));
        const want = contexts.map((it) => renderComponent(stored, it));
        expect(got.map(toPlain)).toEqual(want.map(toPlain));
        for (const it of got) {
          const kept = it.kind === "shown" ? findJsonText(it.component) : undefined;
          if (it.kind !== "shown" || kept === undefined) continue;
          expect(kept).toBe(toJsonString(PageComponentSchema, it.component));
        }
        expect(toBinary(PageComponentSchema, stored)).toEqual(before);
        if (new Set(got).size < got.length) reused += 1;
      },
    ),
    { numRuns: 300 },
  );
  expect(reused).toBeGreaterThan(20);
});

describe("a rendering is used again", () => {
  const empty: RenderContext = { ...CONTEXT, session: {} };
  const other: RenderContext = { ...CONTEXT, session: { other: 1 } };
  const isSame = (it: PageComponent, first: RenderContext, second: RenderContext) =>
    renderOnce(it, first) === renderOnce(it, second);
  const createRail = (own: string) => createComponent("rail", { filter: own }, { id: "rail" });
  const createText = () => createComponent("text", { a: "{id}" }, { id: "text" });

  for (const [name, created, first, second, want] of [
    ["without variables and session", createRail("a: b"), empty, empty, true],
    ["but not with variables", createRail("a: {id}"), empty, empty, false],
    ["but not in a session that a rail reads", createRail("a: b"), empty, other, false],
    ["but not after one", createRail("a: b"), other, empty, false],
    ["in any session that is not read", createText(), other, empty, true],
  ] as const) {
    test(name, () => {
      expect(isSame(created, first, second)).toBe(want);
    });
  }
});
