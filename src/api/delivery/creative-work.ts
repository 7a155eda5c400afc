import type { ServiceImpl } from "@connectrpc/connect";
import type { CreativeWorkService } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of creative works. */
export function createCreativeWorkHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): ServiceImpl<typeof CreativeWorkService> {
  return {
    async getCreativeWork({ id }, context) {
      return { creativeWork: await contents.get("creative_work", id, context) };
    },

    async listCreativeWorks(request, context) {
      const { items, nextPageToken } = await contents.list("creative_work", request, context);
      return { creativeWorks: items, nextPageToken };
    },
  };
}
