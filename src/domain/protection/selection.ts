import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type {
  ContentFilter,
  Target,
  VideoProtectionRuleset,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ALWAYS, compareTimes, intersect, type Period } from "../base/time.ts";
import type { ContentItem, ContentKind, IndexedContent, IndexedItem } from "./content.ts";
import { type PreparedFilter, prepareFilter } from "./filter.ts";

/** The content that a ruleset selects. */
export type Selection =
  | { readonly kind: "nothing" }
  | { readonly kind: "everything" }
  | ({ readonly kind: "target" } & PreparedTarget)
  | {
      readonly kind: "filter";
      readonly events: PreparedFilter | undefined;
      readonly creativeWorks: PreparedFilter | undefined;
    };

interface PreparedTarget {
  readonly videoIds: ReadonlySet<string>;
  readonly eventIds: ReadonlySet<string>;
  readonly creativeWorkIds: ReadonlySet<string>;
  readonly entityIds: ReadonlySet<string>;
  readonly target: Target;
}

/** Prepares the selection of a ruleset. Throws like `parseKql` for a filter that was never checked. */
export function readSelection({ applicability }: VideoProtectionRuleset): Selection {
  switch (applicability.case) {
    case "appliesToAll":
      return applicability.value ? { kind: "everything" } : { kind: "nothing" };
    case "target":
      return { kind: "target", ...readTarget(applicability.value) };
    case "filter":
      return { kind: "filter", ...readFilters(applicability.value) };
    case undefined:
      return { kind: "nothing" };
    default:
      return applicability satisfies never;
  }
}

function readTarget(target: Target): PreparedTarget {
  return {
    videoIds: new Set(target.videoIds),
    eventIds: new Set(target.eventIds),
    creativeWorkIds: new Set(target.creativeWorkIds),
    entityIds: new Set(target.entityIds),
    target,
  };
}

function readFilters({ filterEvents, filterCreativeWorks }: ContentFilter) {
  return {
    events: prepareFilter(filterEvents),
    creativeWorks: prepareFilter(filterCreativeWorks),
  };
}

/** Reports whether a ruleset may select a video by content of a kind that shows it. */
export function isSelectableBy(selection: Selection, kind: ContentKind): boolean {
  switch (selection.kind) {
    case "nothing":
    case "everything":
      return false;
    case "target": {
      const { eventIds, creativeWorkIds, entityIds, target } = selection;
      const hasWindow =
        target.contentStartTime !== undefined || target.contentEndTime !== undefined;
      const own = kind === "event" ? eventIds : creativeWorkIds;
      return own.size > 0 || entityIds.size > 0 || hasWindow;
    }
    case "filter":
      return (kind === "event" ? selection.events : selection.creativeWorks) !== undefined;
    default:
      return selection satisfies never;
  }
}

/**
 * Reports whether a ruleset selects a video, for any viewer; `now` is in Unix milliseconds.
 *
 * - `applies_to_all`: every video.
 * - `target`: the videos that it names, and the videos of the events and creative works that it names by id or by an
 *   entity. With a time window, the event or creative work must also be inside, bounds included; one without a time
 *   never is. A named video needs one such event or creative work. A window without any id selects all content
 *   inside; an empty target selects nothing.
 * - `filter`: the videos of an event that `filter_events` matches or of a creative work that `filter_creative_works`
 *   matches; an empty filter matches none.
 * - None of these: no video.
 */
export function selects(selection: Selection, content: IndexedContent, now: number): boolean {
  switch (selection.kind) {
    case "nothing":
      return false;
    case "everything":
      return true;
    case "target":
      return isTargeted(selection, content);
    case "filter":
      return (
        someMatches(content.events, selection.events, now) ||
        someMatches(content.creativeWorks, selection.creativeWorks, now)
      );
    default:
      return selection satisfies never;
  }
}

/** Returns a window around `now`; inside it, the result of {@link selects} stays the same. */
export function findWindow(
  selection: Selection,
  { events, creativeWorks }: IndexedContent,
  now: number,
): Period {
  if (selection.kind !== "filter") return ALWAYS;
  const windows = [
    ...listWindows(events, selection.events, now),
    ...listWindows(creativeWorks, selection.creativeWorks, now),
  ];
  return windows.reduce(intersect, ALWAYS);
}

function listWindows(
  items: readonly IndexedItem[],
  filter: PreparedFilter | undefined,
  now: number,
): readonly Period[] {
  return filter === undefined ? [] : items.map(({ document }) => document.findWindow(filter, now));
}

function someMatches(
  items: readonly IndexedItem[],
  filter: PreparedFilter | undefined,
  now: number,
): boolean {
  return filter !== undefined && items.some(({ document }) => document.matches(filter, now));
}

function isTargeted(selection: PreparedTarget, { videoId, events, creativeWorks }: IndexedContent) {
  const { videoIds, eventIds, creativeWorkIds, entityIds, target } = selection;
  const hasWindow = target.contentStartTime !== undefined || target.contentEndTime !== undefined;
  const isVideoNamed = videoId !== undefined && videoIds.has(videoId);
  if (isVideoNamed && !hasWindow) return true;

  const hasIds = videoIds.size + eventIds.size + creativeWorkIds.size + entityIds.size > 0;
  const isAnyItem = isVideoNamed || (hasWindow && !hasIds);
  const isSelected = (item: ContentItem, ids: ReadonlySet<string>) =>
    isAnyItem || ids.has(item.id) || item.entityIds.some((id) => entityIds.has(id));
  return (
    events.some((item) => isSelected(item, eventIds) && isInside(item.time, target)) ||
    creativeWorks.some((item) => isSelected(item, creativeWorkIds) && isInside(item.time, target))
  );
}

function isInside(time: Timestamp | undefined, window: Target): boolean {
  const { contentStartTime: start, contentEndTime: end } = window;
  if (start === undefined && end === undefined) return true;
  if (time === undefined) return false;
  return (
    (start === undefined || compareTimes(start, time) <= 0) &&
    (end === undefined || compareTimes(time, end) <= 0)
  );
}
