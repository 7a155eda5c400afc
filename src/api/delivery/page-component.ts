import {
  type GetPageComponentRequest,
  GetPageComponentResponseSchema,
  ListPageComponentItemsResponseSchema,
  type PageComponentService,
} from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { readableVisibilities } from "../../domain/content/visibility.ts";
import { notFound } from "../../domain/errors.ts";
import { narrowToDay } from "../../domain/pages/rendering/day-range.ts";
import { checkEnvironment, isForEnvironment } from "../../domain/pages/rendering/environment.ts";
import { componentWithoutItems, hasItems } from "../../domain/pages/rendering/listing.ts";
import {
  type ComponentTemplate,
  componentDropped,
} from "../../domain/pages/rendering/render-component.ts";
import { composeJson } from "../../protojson/message-json.ts";
import type { ProjectKey } from "../../storage/store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import {
  checkItemsPageSize,
  type ListComponentItems,
  resolveItemsPageSize,
} from "./component-items.ts";
import { type ReadContext, toReadContext } from "./content-list.ts";
import type { PageConfiguration } from "./page-configuration.ts";
import type { PageRenderer, PageState } from "./page-renderer.ts";
import type { FindCountry } from "./viewer-place.ts";

/** The dependencies of the handlers of page components. */
export interface PageComponentHandlerDependencies {
  readonly pages: Pick<PageConfiguration["pages"], "get">;
  readonly renderer: PageRenderer;
  readonly listComponentItems: ListComponentItems;
  readonly findCountry: FindCountry;
}

/** Creates the delivery handlers of single page components. */
export function createPageComponentHandlers({
  pages,
  renderer,
  listComponentItems,
  findCountry,
}: PageComponentHandlerDependencies): Handlers<typeof PageComponentService, DeliveryCall> {
  return {
    async getPageComponent(request, call) {
      const { environment } = request;
      const reader = toReadContext(call, findCountry);
      checkEnvironment(environment);
      checkItemsPageSize(request.itemsPageSize);
      const placed = await findComponent(request, reader.key);
      if (!isForEnvironment(placed.template.component, environment))
        throw notFound(describe(request));
      const { shown, found } = await show(placed, request, reader);
      const component = await renderer.toMessage(shown, found, request, reader);
      return composeJson(GetPageComponentResponseSchema, { component });
    },

    async listPageComponentItems(request, call) {
      const { id: componentId, day, timeZone, pageToken } = request;
      const reader = toReadContext(call, findCountry);
      const placed = await findComponent(request, reader.key);
      const { shown } = await show(placed, request, reader);
      if (!hasItems(shown.listing)) throw componentWithoutItems(componentId);
      const listing = narrowToDay(shown.listing, day, timeZone);
      const size = resolveItemsPageSize(request.pageSize, listing, "page_size");
      const query = { componentId, listing, size, pageToken, day, timeZone };
      const page = await listComponentItems(query, reader);
      return composeJson(ListPageComponentItemsResponseSchema, page);
    },
  };

  /** Finds a component and its page; both may be unlisted, as the component is requested by its id. */
  async function findComponent(
    request: ComponentKey,
    { projectId, kind }: ProjectKey,
  ): Promise<PlacedComponent> {
    const visibilities = readableVisibilities(kind);
    const { id: componentId, pageId } = request;
    const key = { projectId, visibilities, componentVisibilities: visibilities, componentId };
    const { page, components } = await pages.get(key);
    const template = components.find(({ component }) => component.id === componentId);
    if (template === undefined || (pageId !== "" && page.id !== pageId)) {
      throw notFound(describe(request));
    }
    return { page, template };
  }

  async function show(
    { page, template }: PlacedComponent,
    request: PageState,
    reader: ReadContext,
  ) {
    const { components, found } = await renderer.render(page, [template], request, reader);
    const [shown] = components;
    if (shown === undefined) throw new Error("a rendered component is neither shown nor dropped");
    if (shown.kind === "dropped") throw componentDropped(shown);
    return { shown, found };
  }
}

type ComponentKey = Pick<GetPageComponentRequest, "id" | "pageId">;
type PlacedComponent = { readonly page: Page; readonly template: ComponentTemplate };

function describe({ id }: ComponentKey): string {
  return `page_component ${id}`;
}
