import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { ContentKind } from "../content/order.ts";
import { readStoredFields } from "../content/stored-fields.ts";
import { FilterableDocument } from "./filter.ts";

/** The kinds of content that show videos. */
export type ProtectedKind = Exclude<ContentKind, "entity">;

/** The parts of an event or a creative work that rulesets evaluate. */
export interface ProtectedItem {
  readonly kind: ProtectedKind;
  readonly id: string;
  readonly entityIds: readonly string[];
  readonly videoIds: readonly string[];
  /** An event's `start_time` or a creative work's `release_time`; without it, in no time window. */
  readonly time?: Timestamp | undefined;
  /** The whole item as JSON with proto field names, for KQL. */
  readonly json: JsonObject;
}

/** Reads the parts of stored content that rulesets evaluate. */
export function readProtectedItem(kind: ProtectedKind, stored: string): ProtectedItem {
  const json = readStoredFields(stored);
  const { id = "", entity_ids: entityIds = [], video_ids: videoIds = [] } = json;
  const time = json[kind === "event" ? "start_time" : "release_time"];
  return {
    kind,
    id: String(id),
    entityIds: entityIds as string[],
    videoIds: videoIds as string[],
    ...(time !== undefined && { time: fromJson(TimestampSchema, time) }),
    json,
  };
}

/** An item that is indexed for evaluation by many rulesets. */
export interface IndexedItem extends ProtectedItem {
  readonly document: FilterableDocument;
}

/** A video alone, an item that shows it, or an item without videos. */
export interface ShownVideo {
  readonly videoId: string | undefined;
  readonly item?: IndexedItem;
}

/** Indexes an item for the filters of rulesets. */
export function indexItem(item: ProtectedItem): IndexedItem {
  return { ...item, document: new FilterableDocument(item.json) };
}
