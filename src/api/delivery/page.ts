import { create } from "@bufbuild/protobuf";
import {
  GetPageResponseSchema,
  type PageService,
} from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { DroppedComponentSchema } from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import { surrogateKeyOf } from "../../domain/kinds.ts";
import { checkEnvironment, isForEnvironment } from "../../domain/pages/rendering/environment.ts";
import { DELIVERY_PAGE_SIZE, type PageTokens, resolvePageSize } from "../../domain/paging.ts";
import { composeJson } from "../../protojson/message-json.ts";
import type { PageStore } from "../../storage/delivery-store.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import { checkItemsPageSize } from "./component-items.ts";
import { toReadContext } from "./content-list.ts";
import type { PageConfiguration } from "./page-configuration.ts";
import type { PageRenderer } from "./page-renderer.ts";
import type { FindCountry } from "./viewer-place.ts";

/** The dependencies of the handlers of pages. */
export interface PageHandlerDependencies {
  readonly pages: Pick<PageConfiguration["pages"], "get"> & Pick<PageStore, "list">;
  readonly renderer: PageRenderer;
  readonly pageTokens: PageTokens;
  readonly findCountry: FindCountry;
}

/** Creates the delivery handlers of pages. */
export function createPageHandlers(
  dependencies: PageHandlerDependencies,
): Handlers<typeof PageService, DeliveryCall> {
  const { pages, renderer, pageTokens, findCountry } = dependencies;
  return {
    async getPage(request, call) {
      const { id, slug, environment } = request;
      const reader = toReadContext(call, findCountry);
      const { projectId, kind } = reader.key;
      checkPageKey(id, slug);
      checkEnvironment(environment);
      checkItemsPageSize(request.itemsPageSize);
      const { page, components } = await pages.get({
        projectId,
        visibilities: readableVisibilities(kind),
        componentVisibilities: listedVisibilities(kind),
        ...(id === "" ? { slug } : { id }),
      });
      const wanted = components.filter((it) => isForEnvironment(it.component, environment));
      const {
        object,
        components: rendered,
        found,
      } = await renderer.render(page, wanted, request, reader);
      // A component that is hidden today may be shown tomorrow.
      call.freshness.addResources([surrogateKeyOf("page_component", projectId)]);
      const shown = rendered.filter((it) => it.kind === "shown");
      return composeJson(GetPageResponseSchema, {
        page,
        ...(object && { object }),
        components: await Promise.all(
          shown.map((it) => renderer.toMessage(it, found, request, reader)),
        ),
        dropped: rendered.flatMap((it) =>
          it.kind === "dropped" ? create(DroppedComponentSchema, it) : [],
        ),
      });
    },

    async listPages({ pageSize, pageToken }, call) {
      const { projectId, kind } = call.key;
      const limit = resolvePageSize(pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListPages", projectId, kind];
      const [after] = pageToken === "" ? [] : pageTokens.verify(pageToken, binding);
      const { pages: listed, hasMore } = await pages.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit,
        ...(after !== undefined && { after: String(after) }),
      });
      call.freshness.addList("page", projectId, listed);
      const last = hasMore ? listed.at(-1) : undefined;
      return {
        pages: [...listed],
        nextPageToken: last ? pageTokens.sign([last.slug], binding) : "",
      };
    },
  };
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
