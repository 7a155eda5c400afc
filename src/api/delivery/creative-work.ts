import type { CreativeWorkService } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of creative works. */
export function createCreativeWorkHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof CreativeWorkService, DeliveryCall> {
  return {
    async getCreativeWork({ id }, call) {
      return { creativeWork: await contents.get("creative_work", id, call) };
    },

    async listCreativeWorks(request, call) {
      const { items, nextPageToken } = await contents.list("creative_work", request, call);
      return { creativeWorks: items, nextPageToken };
    },
  };
}
