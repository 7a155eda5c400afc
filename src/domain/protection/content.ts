import type { JsonValue } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { FilterableDocument } from "./filter.ts";

/** The two kinds of content that show videos. */
export type ContentKind = "event" | "creative_work";

/** The parts of an event or a creative work that rulesets evaluate. */
export interface ContentItem {
  readonly id: string;
  readonly entityIds: readonly string[];
  /** An event's `start_time` or a creative work's `release_time`; without it, in no time window. */
  readonly time?: Timestamp | undefined;
  /** The whole item as JSON with proto field names, for KQL. */
  readonly json: JsonValue;
}

/** An event or a creative work with its videos. */
export interface ContentItemWithVideos extends ContentItem {
  readonly videoIds: readonly string[];
}

/** A video and all content that shows it. */
export interface VideoContent {
  /** Absent for content that has no video yet. */
  readonly videoId?: string | undefined;
  readonly events: readonly ContentItem[];
  readonly creativeWorks: readonly ContentItem[];
}

/** A content item, indexed for evaluation by many rulesets. */
export interface IndexedItem extends ContentItem {
  readonly document: FilterableDocument;
}

/** A video and its content, indexed for evaluation by many rulesets. */
export interface IndexedContent {
  readonly videoId: string | undefined;
  readonly events: readonly IndexedItem[];
  readonly creativeWorks: readonly IndexedItem[];
}

/** Indexes a video and its content for evaluation by many rulesets, whose filters compare `fields`. */
export function indexContent(
  { videoId, events, creativeWorks }: VideoContent,
  fields?: ReadonlySet<string>,
): IndexedContent {
  const indexItem = (item: ContentItem): IndexedItem => ({
    ...item,
    document: new FilterableDocument(item.json, fields),
  });
  return {
    videoId,
    events: events.map(indexItem),
    creativeWorks: creativeWorks.map(indexItem),
  };
}
