import type { ServiceImpl } from "@connectrpc/connect";
import type { CreativeWorkService } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ContentAnswers } from "./content-answers.ts";

/** Creates the delivery handlers of creative works. */
export function createCreativeWorkHandlers(
  content: ContentAnswers,
): ServiceImpl<typeof CreativeWorkService> {
  return {
    async getCreativeWork({ id }, context) {
      const { item } = await content.get("creative_work", id, context);
      return item.case === "creativeWork" ? { creativeWork: item.value } : {};
    },
    async listCreativeWorks(request, context) {
      const { items, nextPageToken } = await content.list("creative_work", request, context);
      const works = items.flatMap(({ item }) => (item.case === "creativeWork" ? [item.value] : []));
      return { creativeWorks: works, nextPageToken };
    },
  };
}
