import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Target } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ALWAYS, type ClockWindow, intersect } from "./clock-window.ts";
import type { ContentItem, VideoContent } from "./content.ts";
import { FilterableDocument, type PreparedFilter } from "./filter.ts";
import type { PreparedRuleset, PreparedTarget, Selection } from "./prepare.ts";
import { includesCountry } from "./viewers.ts";

/** An event or creative work that many rulesets look at. */
export interface ViewedItem extends ContentItem {
  readonly document: FilterableDocument;
}

/** A video and all that shows it, for many rulesets to look at. */
export interface ViewedContent {
  readonly videoId: string | undefined;
  readonly events: readonly ViewedItem[];
  readonly creativeWorks: readonly ViewedItem[];
}

/** Makes a video and what shows it ready for many rulesets. */
export function viewContent({ videoId, events, creativeWorks }: VideoContent): ViewedContent {
  return {
    videoId,
    events: events.map(viewItem),
    creativeWorks: creativeWorks.map(viewItem),
  };
}

/**
 * Tells whether a ruleset applies to a video for a viewer in `country` (upper case; undefined:
 * unknown): it selects the video and concerns the viewer. `now` is in Unix milliseconds. Being
 * `disabled` changes nothing (SPEC States and transitions).
 *
 * - `applies_to_all`: every video.
 * - `target`: the videos it names and those of the events and creative works it names, by id or by
 *   an entity. With a window the one event or creative work that counts lies inside too, bounds
 *   included, and one without a time never does; a video it names needs one such event or creative
 *   work. A window without any id means all content inside it; an empty target means nothing.
 * - `filter`: videos of an event that `filter_events` matches or a creative work that
 *   `filter_creative_works` matches; an empty one matches none.
 * - None of these: no video.
 *
 * An exempt country does not have it applied, an unknown one does; with a list of countries to
 * apply to, an unknown country does not.
 */
export function appliesTo(
  { viewers, selection }: PreparedRuleset,
  content: ViewedContent,
  country: string | undefined,
  now: number,
): boolean {
  return includesCountry(viewers, country) && selects(selection, content, now);
}

/** Tells whether a ruleset is for a video, whoever watches; `now` is in Unix milliseconds. */
export function selects(selection: Selection, content: ViewedContent, now: number): boolean {
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

/** Finds a window around `now` in which {@link selects} gives the same answer. */
export function findWindow(
  selection: Selection,
  { events, creativeWorks }: ViewedContent,
  now: number,
): ClockWindow {
  if (selection.kind !== "filter") return ALWAYS;
  const windows = [
    ...listWindows(events, selection.events, now),
    ...listWindows(creativeWorks, selection.creativeWorks, now),
  ];
  return windows.reduce(intersect, ALWAYS);
}

function listWindows(
  items: readonly ViewedItem[],
  filter: PreparedFilter | undefined,
  now: number,
): readonly ClockWindow[] {
  return filter === undefined ? [] : items.map(({ document }) => document.findWindow(filter, now));
}

function viewItem(item: ContentItem): ViewedItem {
  return { ...item, document: new FilterableDocument(item.json) };
}

function someMatches(
  items: readonly ViewedItem[],
  filter: PreparedFilter | undefined,
  now: number,
): boolean {
  return filter !== undefined && items.some(({ document }) => document.matches(filter, now));
}

function isTargeted(selection: PreparedTarget, { videoId, events, creativeWorks }: ViewedContent) {
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

function compareTimes(left: Timestamp, right: Timestamp): number {
  if (left.seconds !== right.seconds) return left.seconds < right.seconds ? -1 : 1;
  return left.nanos - right.nanos;
}
