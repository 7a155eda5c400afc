import { create, toJson } from "@bufbuild/protobuf";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { type Item, ItemSchema } from "../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { ContentKind } from "../domain/content/order.ts";
import {
  type ContentItemWithVideos,
  isGeoblocked,
  type PreparedRulesets,
} from "../domain/protection/index.ts";

/** The messages of content, by kind. */
export interface Content {
  event: Event;
  creative_work: CreativeWork;
  entity: Entity;
}

/** Writes proto field names, which filters use. */
const NAMES = { useProtoFieldName: true } as const;

/** Converts an event to the parts that rulesets evaluate. */
export function toEventItem(event: Event): ContentItemWithVideos {
  const { id, entityIds, videoIds, startTime: time } = event;
  return { id, entityIds, videoIds, time, json: toJson(EventSchema, event, NAMES) };
}

/** Converts a creative work to the parts that rulesets evaluate. */
export function toCreativeWorkItem(work: CreativeWork): ContentItemWithVideos {
  const { id, entityIds, videoIds, releaseTime: time } = work;
  return { id, entityIds, videoIds, time, json: toJson(CreativeWorkSchema, work, NAMES) };
}

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
