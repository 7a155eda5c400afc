import { create, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { type Item, ItemSchema } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { findJsonText } from "../../domain/messages/json-text.ts";
import {
  type ContentItemWithVideos,
  isGeoblocked,
  type PreparedRulesets,
} from "../../domain/protection/index.ts";

/** The messages of content, by kind. */
export interface Content {
  event: Event;
  creative_work: CreativeWork;
  entity: Entity;
}

/** Converts an event to the parts that rulesets evaluate. */
export function toEventItem(event: Event): ContentItemWithVideos {
  return toContentItem(EventSchema, event, "start_time");
}

/** Converts a creative work to the parts that rulesets evaluate. */
export function toCreativeWorkItem(work: CreativeWork): ContentItemWithVideos {
  return toContentItem(CreativeWorkSchema, work, "release_time");
}

/** Reads the parts from the JSON that the store keeps, without making a message of it. */
function toContentItem(
  schema: typeof EventSchema | typeof CreativeWorkSchema,
  content: Event | CreativeWork,
  timeField: string,
): ContentItemWithVideos {
  const kept = findJsonText(content);
  const json: JsonObject = {};
  const whole = kept === undefined ? toJson(schema, content) : JSON.parse(kept);
  // Filters use the names of the proto.
  for (const [name, value] of Object.entries(whole as JsonObject)) {
    json[PROTO_NAMES.get(name) ?? name] = value;
  }
  const { id = "", entity_ids: entityIds = [], video_ids: videoIds = [] } = json;
  const time = json[timeField];
  return {
    id: String(id),
    entityIds: entityIds as string[],
    videoIds: videoIds as string[],
    ...(time !== undefined && { time: fromJson(TimestampSchema, time) }),
    json,
  };
}

const PROTO_NAMES: ReadonlyMap<string, string> = new Map(
  [...EventSchema.fields, ...CreativeWorkSchema.fields].map((it) => [it.jsonName, it.name]),
);

const CASES = { event: "event", creative_work: "creativeWork", entity: "entity" } as const;

/** Wraps content of a kind in the message that holds any. */
export function toItem(kind: ContentKind, value: Content[ContentKind]): Item {
  return create(ItemSchema, { item: { case: CASES[kind], value } as Item["item"] });
}

/** The rulesets of a project, and the place and time of a read. */
export interface GeoblockFacts {
  readonly rulesets: PreparedRulesets;
  /** ISO 3166-1 alpha-2, upper case; undefined: unknown. */
  readonly country: string | undefined;
  readonly now: Date;
}

const GEOBLOCKED: {
  readonly [Kind in ContentKind]: (item: Content[Kind], facts: GeoblockFacts) => boolean;
} = {
  event: (item, { rulesets, country, now }) =>
    isGeoblocked(toEventItem(item), "event", rulesets, country, now.getTime()),
  creative_work: (item, { rulesets, country, now }) =>
    isGeoblocked(toCreativeWorkItem(item), "creative_work", rulesets, country, now.getTime()),
  entity: () => false,
};

/** Reports whether rulesets geoblock content in the viewer's country; never for entities. */
export function isContentGeoblocked<Kind extends ContentKind>(
  kind: Kind,
  item: Content[Kind],
  facts: GeoblockFacts,
): boolean {
  return GEOBLOCKED[kind](item, facts);
}
