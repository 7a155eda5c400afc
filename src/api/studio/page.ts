import type { ServiceImpl } from "@connectrpc/connect";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { checkPageOrder } from "../../domain/pages/components/layout.ts";
import { checkPage } from "../../domain/pages/page.ts";
import { getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of pages. */
export function createPageHandlers(parts: ResourceParts): ServiceImpl<typeof PageService> {
  const pages = createResource("page", PageSchema, parts, {
    orders: ["create_time", "update_time"],
    check: checkPage,
  });
  return {
    async createPage({ page, pageId }, context) {
      return { page: await pages.create(context, page, pageId) };
    },

    async getPage({ pageId }, context) {
      return { page: await pages.get(context, pageId) };
    },

    async listPages(request, context) {
      const { values, nextPageToken } = await pages.list(context, request, [request.projectId]);
      return { pages: values, nextPageToken };
    },

    async updatePage({ pageId, page, updateMask }, context) {
      return { page: await pages.update(context, pageId, page, updateMask) };
    },

    async deletePage({ pageId, force }, context) {
      await pages.delete(context, pageId, force);
      return {};
    },

    async reorderPageComponents({ pageId, pageComponentIds }, context) {
      // The entity tag of a page covers its order, too.
      const page = await pages.touch(context, pageId);
      await getStore(context.values).pageComponents.reorder(pageId, (places) => {
        checkPageOrder(places, pageComponentIds);
        return pageComponentIds;
      });
      return { page, pageComponentIds };
    },
  };
}
