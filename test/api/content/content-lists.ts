/** The lists of content, each with the field of its responses and a few facts of the demo. */
export const CONTENT_LISTS = [
  {
    kind: "event",
    list: "svc.cda.cms.event.v1.EventService/ListEvents",
    field: "events",
    orders: ["start_time", "create_time", "update_time", "id", "title.en", "title.de"],
    rejected: "release_time",
  },
  {
    kind: "creative_work",
    list: "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks",
    field: "creativeWorks",
    orders: ["release_time", "create_time", "update_time", "id", "title.en", "title.de"],
    rejected: "start_time",
  },
  {
    kind: "entity",
    list: "svc.cda.cms.entity.v1.EntityService/ListEntities",
    field: "entities",
    orders: ["create_time", "update_time", "id", "title.en", "title.de"],
    rejected: "start_time",
  },
] as const;
