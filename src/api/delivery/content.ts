import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import {
  type CreativeWorkService,
  GetCreativeWorkResponseSchema,
  ListCreativeWorksResponseSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import {
  type EntityService,
  GetEntityResponseSchema,
  ListEntitiesResponseSchema,
} from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
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

/** Creates the delivery handlers of creative works. */
export function createCreativeWorkHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof CreativeWorkService, DeliveryCall> {
  return {
    async getCreativeWork({ id }, call) {
      const { json } = await contents.get("creative_work", id, call);
      return composeJson(GetCreativeWorkResponseSchema, {
        creativeWork: new MessageJson(CreativeWorkSchema, [json]),
      });
    },

    async listCreativeWorks(request, call) {
      const { items, nextPageToken } = await contents.list("creative_work", request, call);
      const creativeWorks = items.map(({ json }) => new MessageJson(CreativeWorkSchema, [json]));
      return composeJson(ListCreativeWorksResponseSchema, { creativeWorks, nextPageToken });
    },
  };
}

/** Creates the delivery handlers of entities. */
export function createEntityHandlers(
  contents: Pick<ContentLists, "get" | "list">,
): Handlers<typeof EntityService, DeliveryCall> {
  return {
    async getEntity({ id }, call) {
      const { json } = await contents.get("entity", id, call);
      return composeJson(GetEntityResponseSchema, {
        entity: new MessageJson(EntitySchema, [json]),
      });
    },

    async listEntities(request, call) {
      const { items, nextPageToken } = await contents.list("entity", request, call);
      const entities = items.map(({ json }) => new MessageJson(EntitySchema, [json]));
      return composeJson(ListEntitiesResponseSchema, { entities, nextPageToken });
    },
  };
}
