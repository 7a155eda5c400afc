import type { ServiceImpl } from "@connectrpc/connect";
import type { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of events. */
export function createEventHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): ServiceImpl<typeof EventService> {
  return {
    async getEvent({ id }, context) {
      return { event: await contents.get("event", id, context) };
    },

    async listEvents(request, context) {
      const { items, nextPageToken } = await contents.list("event", request, context);
      return { events: items, nextPageToken };
    },
  };
}
