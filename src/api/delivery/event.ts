import type { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of events. */
export function createEventHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof EventService, DeliveryCall> {
  return {
    async getEvent({ id }, call) {
      return { event: await contents.get("event", id, call) };
    },

    async listEvents(request, call) {
      const { items, nextPageToken } = await contents.list("event", request, call);
      return { events: items, nextPageToken };
    },
  };
}
