import type { JsonValue } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";

/** The two kinds of content that show videos. */
export type ContentKind = "event" | "creative_work";

/** An event or a creative work, as far as rulesets look at it. */
export interface ContentItem {
  readonly id: string;
  readonly entityIds: readonly string[];
  /** An event's `start_time`, a creative work's `release_time`; absent: in no time window. */
  readonly time?: Timestamp | undefined;
  /** The whole item as JSON with proto field names, for KQL. */
  readonly json: JsonValue;
}

/** An event or a creative work with the videos that it has. */
export interface ContentItemWithVideos extends ContentItem {
  readonly videoIds: readonly string[];
}

/** A video and all that shows it. */
export interface VideoContent {
  /** Absent: content that has no video yet. */
  readonly videoId?: string | undefined;
  readonly events: readonly ContentItem[];
  readonly creativeWorks: readonly ContentItem[];
}
