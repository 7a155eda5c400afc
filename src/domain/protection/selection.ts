import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type {
  Target,
  VideoProtectionRuleset,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ALWAYS, compareTimes, type Period } from "../base/time.ts";
import type { IndexedItem, ProtectedKind, ShownVideo } from "./content.ts";
import { type PreparedFilter, prepareFilter } from "./filter.ts";

/** The content that a ruleset selects. */
export type Selection =
  | { readonly kind: "nothing" | "everything" }
  | ({ readonly kind: "target" } & PreparedTarget)
  | {
      readonly kind: "filter";
      readonly filters: Readonly<Record<ProtectedKind, PreparedFilter | undefined>>;
    };

interface PreparedTarget {
  readonly videoIds: ReadonlySet<string>;
  readonly itemIds: Readonly<Record<ProtectedKind, ReadonlySet<string>>>;
  readonly entityIds: ReadonlySet<string>;
  readonly window: Pick<Target, "contentEndTime" | "contentStartTime">;
}

/** Prepares the selection of a ruleset. Throws like `parseKql` for a filter that was never checked. */
export function readSelection({ applicability }: VideoProtectionRuleset): Selection {
  switch (applicability.case) {
    case "appliesToAll":
      return { kind: applicability.value ? "everything" : "nothing" };
    case "target": {
      const { videoIds, eventIds, creativeWorkIds, entityIds } = applicability.value;
      return {
        kind: "target",
        videoIds: new Set(videoIds),
        itemIds: { event: new Set(eventIds), creative_work: new Set(creativeWorkIds) },
        entityIds: new Set(entityIds),
        window: applicability.value,
      };
    }
    case "filter": {
      const { filterEvents, filterCreativeWorks } = applicability.value;
      const [event, creative_work] = [filterEvents, filterCreativeWorks].map(prepareFilter);
      return { kind: "filter", filters: { event, creative_work } };
    }
    case undefined:
      return { kind: "nothing" };
    default:
      return applicability satisfies never;
  }
}

/** Reports whether a target has an id. */
function namesAny({ videoIds, itemIds, entityIds }: PreparedTarget): boolean {
  return [videoIds, ...Object.values(itemIds), entityIds].some(({ size }) => size > 0);
}

function hasWindow({ window }: PreparedTarget): boolean {
  return window.contentStartTime !== undefined || window.contentEndTime !== undefined;
}

/** Reports whether a ruleset may select a video by content of a kind that shows it. */
export function isSelectableBy(selection: Selection, kind: ProtectedKind): boolean {
  switch (selection.kind) {
    case "nothing":
    case "everything":
      return false;
    case "target": {
      const { itemIds, entityIds } = selection;
      return itemIds[kind].size > 0 || entityIds.size > 0 || hasWindow(selection);
    }
    case "filter":
      return selection.filters[kind] !== undefined;
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
export function selects(selection: Selection, shown: ShownVideo, now: number): boolean {
  switch (selection.kind) {
    case "nothing":
      return false;
    case "everything":
      return true;
    case "target":
      return isTargeted(selection, shown);
    case "filter": {
      const filter = shown.item && selection.filters[shown.item.kind];
      return filter !== undefined && shown.item?.document.matches(filter, now) === true;
    }
    default:
      return selection satisfies never;
  }
}

/** Returns a window around `now`; inside it, the result of {@link selects} stays the same. */
export function findWindow(
  selection: Selection,
  item: IndexedItem | undefined,
  now: number,
): Period {
  const filter = selection.kind === "filter" && item && selection.filters[item.kind];
  return filter ? item.document.findWindow(filter, now) : ALWAYS;
}

function isTargeted(target: PreparedTarget, { videoId, item }: ShownVideo): boolean {
  const { videoIds, itemIds, entityIds, window } = target;
  const isVideoNamed = videoId !== undefined && videoIds.has(videoId);
  if (isVideoNamed && !hasWindow(target)) return true;
  if (item === undefined) return false;
  const isSelected =
    isVideoNamed ||
    (hasWindow(target) && !namesAny(target)) ||
    itemIds[item.kind].has(item.id) ||
    item.entityIds.some((id) => entityIds.has(id));
  return isSelected && isInside(item.time, window);
}

function isInside(time: Timestamp | undefined, window: PreparedTarget["window"]): boolean {
  const { contentStartTime: start, contentEndTime: end } = window;
  if (start === undefined && end === undefined) return true;
  if (time === undefined) return false;
  return (
    (start === undefined || compareTimes(start, time) <= 0) &&
    (end === undefined || compareTimes(time, end) <= 0)
  );
}
