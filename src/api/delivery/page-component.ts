import {
  type GetPageComponentRequest,
  GetPageComponentResponseSchema,
  ListPageComponentItemsResponseSchema,
  PageComponentService,
} from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import { type DomainError, notFound } from "../../domain/base/errors.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/base/paging.ts";
import { checkEnvironment, isForEnvironment } from "../../domain/pages/components/environment.ts";
import { narrowToDay } from "../../domain/pages/rendering/day-range.ts";
import { componentWithoutItems, hasItems } from "../../domain/pages/rendering/listing.ts";
import { composeJson } from "../../protojson/message-json.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import { type DeliveryService, implement } from "../steps/service.ts";
import { type ComponentItems, resolveItemsPageSize } from "./component-items.ts";
import { listShownWarnings, type PageRenderer, type PlacedComponent } from "./page-renderer.ts";

/** Creates the delivery service of single page components. */
export function createPageComponentService(
  renderer: PageRenderer,
  items: ComponentItems,
): DeliveryService {
  return implement(PageComponentService, {
    async getPageComponent(request, call) {
      const { id, environment } = request;
      if (environment !== "") checkEnvironment(environment, "environment");
      resolvePageSize(request.itemsPageSize, DELIVERY_PAGE_SIZE, "items_page_size");
      const placed = await findComponent(request, call);
      if (!isForEnvironment(placed.template.component, environment)) throw missing(id);
      const { shown, resources } = await renderer.show(placed, request, call);
      const component = await renderer.toMessage(shown, resources, request, call);
      if (call.isPreview) call.warn(listShownWarnings(shown));
      return composeJson(GetPageComponentResponseSchema, { component });
    },

    async listPageComponentItems(request, call) {
      const { id: componentId, day, timeZone, pageSize, pageToken, includeTotal } = request;
      const placed = await findComponent(request, call);
      const { shown } = await renderer.show(placed, request, call);
      if (!hasItems(shown.listing)) throw componentWithoutItems(componentId);
      if (call.isPreview) call.warn(listShownWarnings(shown));
      const listing = narrowToDay(shown.listing, day, timeZone);
      const size = resolveItemsPageSize(pageSize, listing, "page_size");
      const query = {
        componentId,
        listing,
        size,
        pageSize,
        pageToken,
        day,
        timeZone,
        includeTotal,
      };
      return composeJson(ListPageComponentItemsResponseSchema, await items.list(query, call));
    },
  });
}

/** Finds a component and its page; both may be unlisted, because the component is requested by its id. */
async function findComponent(
  { id: componentId, pageId }: Pick<GetPageComponentRequest, "id" | "pageId">,
  { readable, reads, budget }: DeliveryCall,
): Promise<PlacedComponent> {
  const componentVisibilities = readable.visibilities;
  const key = { ...readable, componentVisibilities, componentId };
  const { page, components } = await reads.pages.getPage(key, budget);
  const [template] = components;
  if (template !== undefined && (pageId === "" || page.id === pageId)) return { page, template };
  throw missing(componentId);
}

function missing(componentId: string): DomainError {
  return notFound("page_component", componentId);
}
