import type { ServiceImpl } from "@connectrpc/connect";
import type { EntityService } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { ContentAnswers } from "./content-answers.ts";

/** Creates the delivery handlers of entities. */
export function createEntityHandlers(content: ContentAnswers): ServiceImpl<typeof EntityService> {
  return {
    async getEntity({ id }, context) {
      const { item } = await content.get("entity", id, context);
      return item.case === "entity" ? { entity: item.value } : {};
    },
    async listEntities(request, context) {
      const { items, nextPageToken } = await content.list("entity", request, context);
      const entities = items.flatMap(({ item }) => (item.case === "entity" ? [item.value] : []));
      return { entities, nextPageToken };
    },
  };
}
