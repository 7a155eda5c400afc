import type { Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { ContentKind } from "../../../domain/content/order.ts";

/** The message of a kind of content. */
export interface ContentMessages {
  event: Event;
  creative_work: CreativeWork;
  entity: Entity;
}

/** The schemas of the kinds of content. */
export const CONTENT_SCHEMAS: {
  readonly [Kind in ContentKind]: GenMessage<ContentMessages[Kind]>;
} = { event: EventSchema, creative_work: CreativeWorkSchema, entity: EntitySchema };

/** A content item of some kind. */
export type ContentMessage = ContentMessages[ContentKind];

/** Gets the time of a kind's default order; undefined where that is by id. */
export function sortTimeOf(message: ContentMessage & Message): Timestamp | undefined {
  switch (message.$typeName) {
    case "svc.cda.cms.event.v1.Event":
      return message.startTime;
    case "svc.cda.cms.creative_work.v1.CreativeWork":
      return message.releaseTime;
    case "svc.cda.cms.entity.v1.Entity":
      return undefined;
    default:
      return message satisfies never;
  }
}
