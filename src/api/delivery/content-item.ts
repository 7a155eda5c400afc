import { fromJson } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type Item, ItemSchema } from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { readStoredFields } from "../../domain/content/stored-fields.ts";
import type { ContentItemWithVideos } from "../../domain/protection/index.ts";
import { MessageJson } from "../../protojson/message-json.ts";
import type { StoredContent } from "../../storage/contract/content-store.ts";

/** The kinds of content that rulesets protect. */
export type ProtectedKind = Exclude<ContentKind, "entity">;

/** Reads the parts of content that rulesets evaluate. */
export function toProtectedItem(
  kind: ProtectedKind,
  { json }: StoredContent,
): ContentItemWithVideos {
  const fields = readStoredFields(json);
  const { id = "", entity_ids: entityIds = [], video_ids: videoIds = [] } = fields;
  const time = fields[kind === "event" ? "start_time" : "release_time"];
  return {
    id: String(id),
    entityIds: entityIds as string[],
    videoIds: videoIds as string[],
    ...(time !== undefined && { time: fromJson(TimestampSchema, time) }),
    json: fields,
  };
}

const MEMBERS = { event: "event", creative_work: "creativeWork", entity: "entity" } as const;

/** Wraps content of a kind in the message of items, which has a member for each kind. */
export function toItem(kind: ContentKind, { json }: StoredContent): MessageJson<Item> {
  return new MessageJson(ItemSchema, [`{"${MEMBERS[kind]}":`, json, "}"]);
}
