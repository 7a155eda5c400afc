import type { ServiceImpl } from "@connectrpc/connect";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { CreativeWorkService } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { checkCreativeWork } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of creative works. */
export function createCreativeWorkHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof CreativeWorkService> {
  const creativeWorks = createResource("creative_work", CreativeWorkSchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "creative_work"),
    check: checkCreativeWork,
  });
  return {
    async createCreativeWork({ creativeWork, creativeWorkId }, context) {
      return { creativeWork: await creativeWorks.create(context, creativeWork, creativeWorkId) };
    },

    async getCreativeWork({ creativeWorkId }, context) {
      return { creativeWork: await creativeWorks.get(context, creativeWorkId) };
    },

    async listCreativeWorks(request, context) {
      const { values, nextPageToken } = await creativeWorks.list(context, request, [
        request.projectId,
      ]);
      return { creativeWorks: values, nextPageToken };
    },

    async updateCreativeWork({ creativeWorkId, creativeWork, updateMask }, context) {
      return {
        creativeWork: await creativeWorks.update(context, creativeWorkId, creativeWork, updateMask),
      };
    },

    async deleteCreativeWork({ creativeWorkId, force }, context) {
      await creativeWorks.delete(context, creativeWorkId, force);
      return {};
    },
  };
}
