import { type DescMessage, type JsonObject, type Message, toJson } from "@bufbuild/protobuf";
import { CreativeWorkSchema } from "../../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { Item } from "../../../../gen/svc/cda/cms/item/v1/item_pb.ts";

const SCHEMAS: Readonly<Record<NonNullable<Item["item"]["case"]>, DescMessage>> = {
  event: EventSchema,
  creativeWork: CreativeWorkSchema,
  entity: EntitySchema,
};

/** Writes what an item is as JSON with proto field names, as the paths of variables name it. */
export function toItemJson({ item }: Item): JsonObject | undefined {
  if (item.case === undefined) return undefined;
  const message: Message = item.value;
  return toJson(SCHEMAS[item.case], message, { useProtoFieldName: true }) as JsonObject;
}
