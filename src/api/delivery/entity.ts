import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import {
  type EntityService,
  GetEntityResponseSchema,
  ListEntitiesResponseSchema,
} from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { composeJson, MessageJson } from "../../protojson/message-json.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of entities. */
export function createEntityHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof EntityService, DeliveryCall> {
  return {
    async getEntity({ id }, call) {
      const { json } = await contents.get("entity", id, call);
      return composeJson(GetEntityResponseSchema, {
        entity: new MessageJson(EntitySchema, [json]),
      });
    },

    async listEntities(request, call) {
      const { items, nextPageToken } = await contents.list("entity", request, call);
      const entities = items.map(({ json }) => new MessageJson(EntitySchema, [json]));
      return composeJson(ListEntitiesResponseSchema, { entities, nextPageToken });
    },
  };
}
