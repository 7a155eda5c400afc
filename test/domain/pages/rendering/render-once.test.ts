import { toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
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
import { anyComponent, anyFilter } from "./any-component.ts";
import { CONTEXT } from "./rendering.ts";

const session = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom("k", "l", "query", "other"), fc.jsonValue({ maxDepth: 2 })),
) as fc.Arbitrary<RenderContext["session"]>;

const context: fc.Arbitrary<RenderContext> = fc
  .record({ id: fc.constantFrom("e1", "e2", undefined), session, filter: anyFilter })
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
      anyComponent,
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
