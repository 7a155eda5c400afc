import { create } from "@bufbuild/protobuf";
import {
  GetPageResponseSchema,
  PageService,
} from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { DroppedComponentSchema } from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { DELIVERY_PAGE_SIZE, type PageTokens, resolvePageSize } from "../../domain/base/paging.ts";
import { checkEnvironment, isForEnvironment } from "../../domain/pages/components/environment.ts";
import { composeJson } from "../../protojson/message-json.ts";
import { type DeliveryService, implement } from "../steps/service.ts";
import { listShownWarnings, type PageRenderer } from "./page-renderer.ts";

/** Creates the delivery service of pages. */
export function createPageService(renderer: PageRenderer, pageTokens: PageTokens): DeliveryService {
  return implement(PageService, {
    async getPage(request, call) {
      const { id, slug, environment } = request;
      checkPageKey(id, slug);
      if (environment !== "") checkEnvironment(environment, "environment");
      resolvePageSize(request.itemsPageSize, DELIVERY_PAGE_SIZE, "items_page_size");
      const componentVisibilities = call.listed.visibilities;
      const key = { ...call.readable, componentVisibilities, ...(id === "" ? { slug } : { id }) };
      const { page, components } = await call.reads.pages.getPage(key, call.budget);
      const wanted = components.filter((it) => isForEnvironment(it.component, environment));
      const rendered = await renderer.render(page, wanted, request, call);
      const { object, resources } = rendered;
      const shown = rendered.components.filter((it) => it.kind === "shown");
      const dropped = rendered.components.filter((it) => it.kind === "dropped");
      if (call.isPreview) {
        call.warn(
          shown.flatMap((it, index) => listShownWarnings(it, `components[${index}].component.`)),
        );
      }
      return composeJson(GetPageResponseSchema, {
        page,
        ...(object && { object }),
        components: await Promise.all(
          shown.map((it) => renderer.toMessage(it, resources, request, call)),
        ),
        dropped: dropped.map((it) => create(DroppedComponentSchema, it)),
      });
    },

    async listPages(request, call) {
      const { projectId, kind } = call.key;
      const page = pageTokens.open(request, DELIVERY_PAGE_SIZE, ["ListPages", projectId, kind]);
      const { values, next } = await call.reads.stores.pages.list({
        ...call.listed,
        limit: page.limit,
        budget: call.budget,
        ...page.readPlace(),
      });
      call.freshness.addList("page", projectId, values);
      return { pages: [...values], ...page.endAt(next) };
    },
  });
}

function checkPageKey(id: string, slug: string): void {
  if ((id === "") !== (slug === "")) return;
  const description = "set exactly one of id and slug";
  throw new DomainError(Code.INVALID_ARGUMENT, "PAGE_KEY_INVALID", description, {
    fields: [
      { field: "id", description },
      { field: "slug", description },
    ],
  });
}
