import type { EntityService } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of entities. */
export function createEntityHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof EntityService, DeliveryCall> {
  return {
    async getEntity({ id }, call) {
      return { entity: await contents.get("entity", id, call) };
    },

    async listEntities(request, call) {
      const { items, nextPageToken } = await contents.list("entity", request, call);
      return { entities: items, nextPageToken };
    },
  };
}
