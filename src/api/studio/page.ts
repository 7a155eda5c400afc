import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { checkPageOrder } from "../../domain/pages/components/layout.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type ResourceParts } from "./resource.ts";
import { standardMethods } from "./standard-methods.ts";

/** Creates the management handlers of pages. */
export function createPageHandlers(parts: ResourceParts): Handlers<typeof PageService, StudioCall> {
  const pages = new Resource("page", parts);
  return {
    ...standardMethods(PageService, pages),

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
