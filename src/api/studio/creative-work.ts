import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { CreativeWorkService } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { checkCreativeWork } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of creative works. */
export function createCreativeWorkHandlers(
  parts: ResourceParts,
): Handlers<typeof CreativeWorkService, StudioCall> {
  const creativeWorks = createResource("creative_work", CreativeWorkSchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "creative_work"),
    check: checkCreativeWork,
  });
  return {
    async createCreativeWork({ creativeWork, creativeWorkId }, call) {
      return { creativeWork: await creativeWorks.create(call, creativeWork, creativeWorkId) };
    },

    async getCreativeWork({ creativeWorkId }, call) {
      return { creativeWork: await creativeWorks.get(call, creativeWorkId) };
    },

    async listCreativeWorks(request, call) {
      const { values, nextPageToken } = await creativeWorks.list(call, request, [
        request.projectId,
      ]);
      return { creativeWorks: values, nextPageToken };
    },

    async updateCreativeWork({ creativeWorkId, creativeWork, updateMask }, call) {
      return {
        creativeWork: await creativeWorks.update(call, creativeWorkId, creativeWork, updateMask),
      };
    },

    async deleteCreativeWork({ creativeWorkId, force }, call) {
      await creativeWorks.delete(call, creativeWorkId, force);
      return {};
    },
  };
}
