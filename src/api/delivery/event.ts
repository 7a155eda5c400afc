import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import {
  type EventService,
  GetEventResponseSchema,
  ListEventsResponseSchema,
} from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { composeJson, MessageJson } from "../../protojson/message-json.ts";
import type { DeliveryCall } from "../steps/delivery-call.ts";
import type { Handlers } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

/** Creates the delivery handlers of events. */
export function createEventHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof EventService, DeliveryCall> {
  return {
    async getEvent({ id }, call) {
      const { json } = await contents.get("event", id, call);
      return composeJson(GetEventResponseSchema, { event: new MessageJson(EventSchema, [json]) });
    },

    async listEvents(request, call) {
      const { items, nextPageToken } = await contents.list("event", request, call);
      const events = items.map(({ json }) => new MessageJson(EventSchema, [json]));
      return composeJson(ListEventsResponseSchema, { events, nextPageToken });
    },
  };
}
