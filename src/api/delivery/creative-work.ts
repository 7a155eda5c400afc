import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import {
  type CreativeWorkService,
  GetCreativeWorkResponseSchema,
  ListCreativeWorksResponseSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import { composeJson, MessageJson } from "../../protojson/message-json.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of creative works. */
export function createCreativeWorkHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof CreativeWorkService, DeliveryCall> {
  return {
    async getCreativeWork({ id }, call) {
      const { json } = await contents.get("creative_work", id, call);
      return composeJson(GetCreativeWorkResponseSchema, {
        creativeWork: new MessageJson(CreativeWorkSchema, [json]),
      });
    },

    async listCreativeWorks(request, call) {
      const { items, nextPageToken } = await contents.list("creative_work", request, call);
      const creativeWorks = items.map(({ json }) => new MessageJson(CreativeWorkSchema, [json]));
      return composeJson(ListCreativeWorksResponseSchema, { creativeWorks, nextPageToken });
    },
  };
}
