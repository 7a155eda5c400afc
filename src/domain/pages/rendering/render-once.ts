import { toJsonString } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { attachJsonText } from "../../messages/json-text.ts";
import { type RenderContext, type RenderedComponent, renderComponent } from "./render-component.ts";

/** A rendering that is the same on every page and for every viewer, or for those without a session. */
interface Constant {
  readonly rendered: RenderedComponent;
  readonly readsSession: boolean;
}

const CONSTANTS = new WeakMap<PageComponent, Constant>();

/**
 * Renders a component like {@link renderComponent}, once for all requests if the result depends on the
 * component alone: it has no variables, mirrors no other component, and the session is empty or is not read.
 * Such a result keeps its JSON text. Neither the component nor the result may be changed afterwards.
 */
export function renderOnce(component: PageComponent, context: RenderContext): RenderedComponent {
  const hasSession = Object.keys(context.session).length > 0;
  const known = CONSTANTS.get(component);
  if (known !== undefined && !(known.readsSession && hasSession)) return known.rendered;
  let isConstant = true;
  let readsSession = false;
  const rendered = renderComponent(component, {
    scope(path) {
      isConstant = false;
      return context.scope(path);
    },
    get session() {
      readsSession = true;
      return context.session;
    },
    get mirrored() {
      isConstant = false;
      return context.mirrored;
    },
  });
  if (isConstant && !(readsSession && hasSession)) {
    if (rendered.kind === "shown") {
      attachJsonText(rendered.component, toJsonString(PageComponentSchema, rendered.component));
    }
    CONSTANTS.set(component, { rendered, readsSession });
  }
  return rendered;
}
