import type { ServiceImpl } from "@connectrpc/connect";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { checkEvent } from "../../domain/content/content.ts";
import { parseContentOrder } from "../../domain/content/order.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of events. */
export function createEventHandlers(parts: ResourceParts): ServiceImpl<typeof EventService> {
  const events = createResource("event", EventSchema, parts, {
    parseOrder: (order) => parseContentOrder(order, "event"),
    check: checkEvent,
  });
  return {
    async createEvent({ event, eventId }, context) {
      return { event: await events.create(context, event, eventId) };
    },

    async getEvent({ eventId }, context) {
      return { event: await events.get(context, eventId) };
    },

    async listEvents(request, context) {
      const { values, nextPageToken } = await events.list(context, request, [request.projectId]);
      return { events: values, nextPageToken };
    },

    async updateEvent({ eventId, event, updateMask }, context) {
      return { event: await events.update(context, eventId, event, updateMask) };
    },

    async deleteEvent({ eventId, force }, context) {
      await events.delete(context, eventId, force);
      return {};
    },
  };
}
