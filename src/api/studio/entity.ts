import type { ServiceImpl } from "@connectrpc/connect";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { EntityService } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { checkEntity } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of entities. */
export function createEntityHandlers(parts: ResourceParts): ServiceImpl<typeof EntityService> {
  const entities = createResource("entity", EntitySchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "entity"),
    check: checkEntity,
  });
  return {
    async createEntity({ entity, entityId }, context) {
      return { entity: await entities.create(context, entity, entityId) };
    },

    async getEntity({ entityId }, context) {
      return { entity: await entities.get(context, entityId) };
    },

    async listEntities(request, context) {
      const { values, nextPageToken } = await entities.list(context, request, [request.projectId]);
      return { entities: values, nextPageToken };
    },

    async updateEntity({ entityId, entity, updateMask }, context) {
      return { entity: await entities.update(context, entityId, entity, updateMask) };
    },

    async deleteEntity({ entityId, force }, context) {
      await entities.delete(context, entityId, force);
      return {};
    },
  };
}
