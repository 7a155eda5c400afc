import type { Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ContentKind } from "../../../domain/content/order.ts";
import { KINDS, type KindMessage } from "../../../domain/kinds.ts";

/** The messages of the kinds of content. */
export type ContentMessages = { readonly [Kind in ContentKind]: KindMessage<Kind> };

/** The schemas of the kinds of content. */
export const CONTENT_SCHEMAS = {
  event: KINDS.event.schema,
  creative_work: KINDS.creative_work.schema,
  entity: KINDS.entity.schema,
} as const satisfies Readonly<Record<ContentKind, unknown>>;

/** A content item of any kind. */
export type ContentMessage = ContentMessages[ContentKind];

/** Returns the time that an item's default order is by; undefined where that is by id. */
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
