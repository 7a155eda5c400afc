import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { checkPageOrder } from "../../domain/pages/components/layout.ts";
import type { StudioService } from "../steps/service.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of pages. */
export function createPageService(dependencies: StudioDependencies): StudioService {
  const pages = new Resource("page", dependencies);
  return implementKind(PageService, pages, {
    async reorderPageComponents({ pageId, pageComponentIds }, call) {
      const { pageComponents } = call.organization;
      const current = await pageComponents.listPlaces(pageId);
      const isCurrent = current.every(({ id }, index) => id === pageComponentIds[index]);
      if (isCurrent && current.length === pageComponentIds.length) {
        return { page: await pages.change(call, pageId, (page) => page), pageComponentIds };
      }
      // The ETag of a page covers its order, too.
      const change = async () => {
        const before = await pageComponents.reorder(pageId, (places) => {
          checkPageOrder(places, pageComponentIds);
          return pageComponentIds;
        });
        return { order: { before, after: pageComponentIds } };
      };
      const page = await pages.touch(call, pageId, { change });
      return { page, pageComponentIds };
    },
  });
}
