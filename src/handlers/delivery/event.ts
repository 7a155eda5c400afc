import type { ServiceImpl } from "@connectrpc/connect";
import type { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { ContentAnswers } from "./content-answers.ts";

/** Creates the delivery handlers of events. */
export function createEventHandlers(content: ContentAnswers): ServiceImpl<typeof EventService> {
  return {
    async getEvent({ id }, context) {
      const { item } = await content.get("event", id, context);
      return item.case === "event" ? { event: item.value } : {};
    },
    async listEvents(request, context) {
      const { items, nextPageToken } = await content.list("event", request, context);
      const events = items.flatMap(({ item }) => (item.case === "event" ? [item.value] : []));
      return { events, nextPageToken };
    },
  };
}
