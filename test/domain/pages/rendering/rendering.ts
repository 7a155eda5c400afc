import type { PageComponent } from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  type DroppedComponent,
  type RenderContext,
  type RenderedComponent,
  renderComponent,
  type ShownComponent,
} from "../../../../src/domain/pages/rendering/render-component.ts";
import { createScope } from "../../../../src/domain/variables/scope.ts";

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

/** Renders a component of which a test knows that it is shown. */
export function show(
  component: PageComponent,
  context: Partial<RenderContext> = {},
): ShownComponent {
  const got = renderComponent(component, { ...CONTEXT, ...context });
  if (got.kind === "dropped") throw new Error(`dropped: ${got.field} ${got.reason}`);
  return got;
}

/** What a component that is left out says. */
export function dropOf(got: RenderedComponent): readonly string[] | undefined {
  if (got.kind === "shown") return undefined;
  const { componentId, field, variable, reason }: DroppedComponent = got;
  return [componentId, field, variable, reason];
}
