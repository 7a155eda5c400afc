import type { ServiceImpl } from "@connectrpc/connect";
import type { PageService } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { getProjectKey } from "../../call/context.ts";
import { noteResources } from "../../call/freshness.ts";
import type { FindCountry } from "../../call/viewer-place.ts";
import { listedVisibilities, readableVisibilities } from "../../domain/content/visibility.ts";
import { Code, DomainError } from "../../domain/errors.ts";
import type { PageTokens } from "../../domain/messages/page-token.ts";
import { DELIVERY_PAGE_SIZE, resolvePageSize } from "../../domain/messages/paging.ts";
import { checkEnvironment, isForEnvironment } from "../../domain/pages/rendering/environment.ts";
import type { PageStore } from "../../storage/delivery-store.ts";
import { checkItemsPageSize } from "./component-items.ts";
import type { RenderPage } from "./page-renderer.ts";
import { toSession } from "./page-session.ts";
import type { ToResolvedComponent } from "./resolved-components.ts";
import { toViewer } from "./viewer.ts";

/** What the handlers of pages stand on. */
export interface PageHandlerDependencies {
  readonly pages: PageStore;
  readonly renderPage: RenderPage;
  readonly toResolvedComponent: ToResolvedComponent;
  readonly pageTokens: PageTokens;
  readonly findCountry: FindCountry;
}

/** Creates the delivery handlers of pages. */
export function createPageHandlers(
  dependencies: PageHandlerDependencies,
): ServiceImpl<typeof PageService> {
  const { pages, renderPage, toResolvedComponent, pageTokens, findCountry } = dependencies;
  return {
    async getPage(request, context) {
      const { id, slug, environment, parameters } = request;
      const { values } = context;
      const viewer = toViewer(context, findCountry);
      const { projectId, kind } = viewer.key;
      checkPageKey(id, slug);
      checkEnvironment(environment);
      checkItemsPageSize(request.itemsPageSize);
      const { page, components } = await pages.get({
        projectId,
        visibilities: readableVisibilities(kind),
        componentVisibilities: listedVisibilities(kind),
        ...(id === "" ? { slug } : { id }),
      });
      const state = { parameters, session: toSession(request.session) };
      const shown = components.filter((it) => isForEnvironment(it, environment));
      const rendered = await renderPage(page, shown, state, viewer.key);
      // A component that is hidden today may be shown tomorrow.
      noteResources(values, [...rendered.resources, `${projectId}/page_components`]);
      const { object, found } = rendered;
      return {
        page,
        ...(object && { object }),
        components: await Promise.all(
          rendered.components
            .filter((it) => it.kind === "shown")
            .map((it) => toResolvedComponent(it, found, request, viewer, values)),
        ),
        dropped: rendered.components.filter((it) => it.kind === "dropped"),
      };
    },

    async listPages({ pageSize, pageToken }, { values }) {
      const { projectId, kind } = getProjectKey(values);
      const limit = resolvePageSize(pageSize, DELIVERY_PAGE_SIZE);
      const binding = ["ListPages", projectId, kind];
      const [after] = pageToken === "" ? [] : pageTokens.open(pageToken, binding);
      const { pages: shown, hasMore } = await pages.list({
        projectId,
        visibilities: listedVisibilities(kind),
        limit,
        ...(after !== undefined && { after: String(after) }),
      });
      const collection = `${projectId}/pages`;
      noteResources(values, [collection, ...shown.map(({ id }) => `${collection}/${id}`)]);
      const last = hasMore ? shown.at(-1) : undefined;
      return {
        pages: [...shown],
        nextPageToken: last ? pageTokens.seal([last.slug], binding) : "",
      };
    },
  };
}

function checkPageKey(id: string, slug: string): void {
  if ((id === "") !== (slug === "")) return;
  const description = "exactly one of id and slug names the page";
  throw new DomainError(Code.INVALID_ARGUMENT, "PAGE_KEY_INVALID", description, {
    fields: [
      { field: "id", description },
      { field: "slug", description },
    ],
  });
}
