import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { checkPageOrder } from "../../domain/pages/components/layout.ts";
import { checkPage } from "../../domain/pages/page.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of pages. */
export function createPageHandlers(parts: ResourceParts): Handlers<typeof PageService, StudioCall> {
  const pages = createResource("page", PageSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkPage,
  });
  return {
    async createPage({ page, pageId }, call) {
      return { page: await pages.create(call, page, pageId) };
    },

    async getPage({ pageId }, call) {
      return { page: await pages.get(call, pageId) };
    },

    async listPages(request, call) {
      const { values, nextPageToken } = await pages.list(call, request, [request.projectId]);
      return { pages: values, nextPageToken };
    },

    async updatePage({ pageId, page, updateMask }, call) {
      return { page: await pages.update(call, pageId, page, updateMask) };
    },

    async deletePage({ pageId, force }, call) {
      await pages.delete(call, pageId, force);
      return {};
    },

    async reorderPageComponents({ pageId, pageComponentIds }, call) {
      // The entity tag of a page covers its order, too.
      const page = await pages.touch(call, pageId);
      await call.store.pageComponents.reorder(pageId, (places) => {
        checkPageOrder(places, pageComponentIds);
        return pageComponentIds;
      });
      return { page, pageComponentIds };
    },
  };
}
