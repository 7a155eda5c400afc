import { toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PageComponentSchema } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { runAll } from "../../../../src/domain/base/steps.ts";
import {
  ComponentTemplate,
  type RenderContext,
  type RenderedComponent,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { createComponent } from "../components/members.ts";
import { anyComponent, anyFilter } from "./any-component.ts";
import { CONTEXT, renderComponent } from "./rendering.ts";

const session = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom("k", "l", "query", "other"), fc.jsonValue({ maxDepth: 2 })),
) as fc.Arbitrary<RenderContext["session"]>;

const context: fc.Arbitrary<RenderContext> = fc
  .record({ id: fc.constantFrom("e1", "e2", undefined), session, filter: anyFilter })
  .map(({ id, session: sent, filter: own }) => ({
    scope: (path) => (path === "id" ? id : CONTEXT.scope(path)),
    session: sent,
    mirrored: new Map(
      [
        createComponent("rail", { type: BaseType.EVENT, filter: own }, { id: "rail" }),
        createComponent("text", { a: 1 }, { id: "text" }),
      ].map((it) => [it.id, new ComponentTemplate(it)]),
    ),
  }));

function toPlain(it: RenderedComponent) {
  return it.kind === "shown" ? { ...it, component: toJson(PageComponentSchema, it.component) } : it;
}

test("a component rendered again is what it would be if it were rendered for the first time", () => {
  let reused = 0;
  fc.assert(
    fc.property(
      anyComponent,
      fc.array(context, { minLength: 2, maxLength: 5 }),
      (stored, contexts) => {
        const before = toBinary(PageComponentSchema, stored);
        const template = new ComponentTemplate(stored);
        const got = contexts.map((it) => runAll(template.render(it)));
        const want = contexts.map((it) => renderComponent(stored, it));
        expect(got.map(toPlain)).toEqual(want.map(toPlain));
        for (const it of got) {
          const kept = it.kind === "shown" ? it.json : undefined;
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
  const createRail = (own: string) => createComponent("rail", { filter: own }, { id: "rail" });
  const createText = () => createComponent("text", { a: "{id}" }, { id: "text" });

  test.each([
    ["without variables and session", createRail("a: b"), empty, empty, "all"],
    ["but not with variables", createRail("a: {id}"), empty, empty, "nothing"],
    ["but for the filter in a session", createRail("a: b"), empty, other, "component"],
    ["but for the filter after a session", createRail("a: b"), other, empty, "component"],
    ["in any session that is not read", createText(), other, empty, "component"],
  ] as const)("%s", (_name, created, first, second, want) => {
    const template = new ComponentTemplate(created);
    const [one, two] = [first, second].map((it) => runAll(template.render(it)));
    const isSameComponent =
      one?.kind === "shown" && two?.kind === "shown" && one.component === two.component;
    const got = one === two ? "all" : isSameComponent ? "component" : "nothing";
    expect(got).toBe(want);
  });
});
