import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { checkEvent } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of events. */
export function createEventHandlers(
  parts: ResourceParts,
): Handlers<typeof EventService, StudioCall> {
  const events = createResource("event", EventSchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "event"),
    check: checkEvent,
  });
  return {
    async createEvent({ event, eventId }, call) {
      return { event: await events.create(call, event, eventId) };
    },

    async getEvent({ eventId }, call) {
      return { event: await events.get(call, eventId) };
    },

    async listEvents(request, call) {
      const { values, nextPageToken } = await events.list(call, request, [request.projectId]);
      return { events: values, nextPageToken };
    },

    async updateEvent({ eventId, event, updateMask }, call) {
      return { event: await events.update(call, eventId, event, updateMask) };
    },

    async deleteEvent({ eventId, force }, call) {
      await events.delete(call, eventId, force);
      return {};
    },
  };
}
