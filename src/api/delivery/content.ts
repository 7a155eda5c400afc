import {
  CreativeWorkService,
  GetCreativeWorkResponseSchema,
  ListCreativeWorksResponseSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import {
  EntityService,
  GetEntityResponseSchema,
  ListEntitiesResponseSchema,
} from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import {
  EventService,
  GetEventResponseSchema,
  ListEventsResponseSchema,
} from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { composeJson } from "../../protojson/message-json.ts";
import { type DeliveryService, implement } from "../steps/service.ts";
import type { ContentLists } from "./content-list.ts";

type Contents = Pick<ContentLists, "get" | "list">;

/** Creates the delivery service of events. */
export function createEventService(contents: Contents): DeliveryService {
  return implement(EventService, {
    async getEvent({ id }, call) {
      const event = await contents.get("event", id, call);
      return composeJson(GetEventResponseSchema, { event });
    },

    async listEvents(request, call) {
      const { items: events, ...rest } = await contents.list("event", request, call);
      return composeJson(ListEventsResponseSchema, { events, ...rest });
    },
  });
}

/** Creates the delivery service of creative works. */
export function createCreativeWorkService(contents: Contents): DeliveryService {
  return implement(CreativeWorkService, {
    async getCreativeWork({ id }, call) {
      const creativeWork = await contents.get("creative_work", id, call);
      return composeJson(GetCreativeWorkResponseSchema, { creativeWork });
    },

    async listCreativeWorks(request, call) {
      const { items: creativeWorks, ...rest } = await contents.list("creative_work", request, call);
      return composeJson(ListCreativeWorksResponseSchema, { creativeWorks, ...rest });
    },
  });
}

/** Creates the delivery service of entities. */
export function createEntityService(contents: Contents): DeliveryService {
  return implement(EntityService, {
    async getEntity({ id }, call) {
      const entity = await contents.get("entity", id, call);
      return composeJson(GetEntityResponseSchema, { entity });
    },

    async listEntities(request, call) {
      const { items: entities, ...rest } = await contents.list("entity", request, call);
      return composeJson(ListEntitiesResponseSchema, { entities, ...rest });
    },
  });
}
