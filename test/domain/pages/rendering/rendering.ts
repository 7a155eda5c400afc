import { clone } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { runAll } from "../../../../src/domain/base/steps.ts";
import { parseSearch } from "../../../../src/domain/content/search.ts";
import { parseKql } from "../../../../src/domain/kql/index.ts";
import type { Listing } from "../../../../src/domain/pages/rendering/listing.ts";
import {
  ComponentTemplate,
  type DroppedComponent,
  type RenderContext,
  type RenderedComponent,
  type ShownComponent,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { createScope } from "../../../../src/domain/variables/text-template.ts";

/** Where components are rendered: on the page of an event, without a session. */
export const CONTEXT: RenderContext = {
  scope: createScope({
    parameters: { id: "e1" },
    q: 'say "hi" OR *',
    object: { kind: "event", json: { entity_ids: ["a", "b"], fields: { season: { id: "s9" } } } },
  }),
  session: {},
  mirrored: new Map(),
};

/** Renders a component that was never rendered before. */
export function renderComponent(component: PageComponent, context: RenderContext) {
  return runAll(new ComponentTemplate(component).render(context));
}

/** Renders a component of which a test knows that it is shown, without its JSON text. */
export function show(
  component: PageComponent,
  context: Partial<RenderContext> = {},
): ShownComponent {
  const got = renderComponent(component, { ...CONTEXT, ...context });
  if (got.kind === "dropped") throw new Error(`dropped: ${got.field} ${got.reason}`);
  return { ...got, component: clone(PageComponentSchema, got.component) };
}

/** Returns a listing without what is parsed of it, which must be what it reads. */
export function withoutParsed(parsed: Listing | undefined) {
  if (parsed === undefined) return undefined;
  const { node, words, ...listing } = parsed;
  expect(node).toEqual(parseKql(listing.filter));
  expect(words).toEqual(parseSearch(listing.search, "search"));
  return listing;
}

/** What a component that is left out says. */
export function dropOf(got: RenderedComponent): readonly string[] | undefined {
  if (got.kind === "shown") return undefined;
  const { componentId, field, variable, reason }: DroppedComponent = got;
  return [componentId, field, variable, reason];
}
