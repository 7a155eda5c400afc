import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { EntityService } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { checkEntity } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of entities. */
export function createEntityHandlers(
  parts: ResourceParts,
): Handlers<typeof EntityService, StudioCall> {
  const entities = createResource("entity", EntitySchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "entity"),
    check: checkEntity,
  });
  return {
    async createEntity({ entity, entityId }, call) {
      return { entity: await entities.create(call, entity, entityId) };
    },

    async getEntity({ entityId }, call) {
      return { entity: await entities.get(call, entityId) };
    },

    async listEntities(request, call) {
      const { values, nextPageToken } = await entities.list(call, request, [request.projectId]);
      return { entities: values, nextPageToken };
    },

    async updateEntity({ entityId, entity, updateMask }, call) {
      return { entity: await entities.update(call, entityId, entity, updateMask) };
    },

    async deleteEntity({ entityId, force }, call) {
      await entities.delete(call, entityId, force);
      return {};
    },
  };
}
