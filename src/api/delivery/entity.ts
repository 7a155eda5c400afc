import type { ServiceImpl } from "@connectrpc/connect";
import type { EntityService } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of entities. */
export function createEntityHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): ServiceImpl<typeof EntityService> {
  return {
    async getEntity({ id }, context) {
      return { entity: await contents.get("entity", id, context) };
    },

    async listEntities(request, context) {
      const { items, nextPageToken } = await contents.list("entity", request, context);
      return { entities: items, nextPageToken };
    },
  };
}
