import { clone, create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { compareTimes, type TimeParts, ZERO_TIME } from "../base/time.ts";
import { chooseId } from "../validation/ids.ts";
import { checkAnnotation } from "./annotation.ts";

/** The fields of an annotation that a chapter of a video shows. Times are milliseconds from the start of the video. */
export interface Chapter {
  /** The annotation's id; empty for a chapter without one. */
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/**
 * Converts the annotations of a video to chapters, ordered by start, order and id. A chapter starts at start_offset,
 * else offset, else 0. It ends at end_offset, else where a later one starts, and lasts at least a millisecond. Its
 * title is timer_label, else the title from `titleOf`, without empty lines.
 */
export function toChapters(
  annotations: readonly Annotation[],
  titleOf: (annotation: Annotation) => string,
): Chapter[] {
  const sorted = annotations.toSorted(compare);
  const chapters: Chapter[] = [];
  /** The start of this chapter and of its equals, and the next later one. */
  let start: number | undefined;
  let later: number | undefined;
  for (const annotation of sorted.toReversed()) {
    const ownStart = toMilliseconds(startOf(annotation));
    if (ownStart !== start) [start, later] = [ownStart, start];
    const { id, endOffset, timerLabel } = annotation;
    const end = endOffset === undefined ? (later ?? 0) : toMilliseconds(endOffset);
    const title = toTitle(timerLabel) || toTitle(titleOf(annotation));
    chapters.push({ id, start: ownStart, end: Math.max(end, ownStart + 1), title });
  }
  return chapters.reverse();
}

/**
 * Returns the annotation of an imported chapter. A new annotation is published, of SOURCE_TYPE_IMPORT, at the
 * chapter's start. A stored annotation with the same id takes the times and the title that differ from the chapter it
 * is `shown` with. An offset equal to the start moves with it. INVALID_ARGUMENT `ID_INVALID` for a malformed new id.
 */
export function applyChapter(
  chapter: Chapter,
  { projectId, id: videoId }: Video,
  stored: { readonly annotation: Annotation; readonly shown: Chapter } | undefined,
  createId: () => string,
): Annotation {
  const { id, start, end, title } = chapter;
  if (stored === undefined) {
    const at = durationFromMs(start);
    return create(AnnotationSchema, {
      id: chooseId(id, "id", createId),
      projectId,
      videoId,
      offset: at,
      startOffset: at,
      endOffset: durationFromMs(end),
      timerLabel: title,
      visibility: Visibility.PUBLISHED,
      sourceType: SourceType.IMPORT,
    });
  }
  const { annotation, shown } = stored;
  const changed = clone(AnnotationSchema, annotation);
  if (start !== shown.start) {
    changed.startOffset = durationFromMs(start);
    const { offset } = annotation;
    if (offset && compareTimes(offset, startOf(annotation)) === 0) {
      changed.offset = durationFromMs(start);
    }
  }
  if (end !== shown.end) changed.endOffset = durationFromMs(end);
  if (title !== shown.title) changed.timerLabel = title;
  checkAnnotation(changed);
  return changed;
}

function startOf({ startOffset, offset }: Annotation): TimeParts {
  return startOffset ?? offset ?? ZERO_TIME;
}

/** Truncates a duration to milliseconds. */
function toMilliseconds({ seconds, nanos }: TimeParts): number {
  return Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000);
}

function compare(a: Annotation, b: Annotation): number {
  const byStart = compareTimes(startOf(a), startOf(b));
  if (byStart !== 0) return byStart;
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Returns a label as a title: trimmed lines, without empty ones. */
function toTitle(label: string): string {
  const lines = label.replaceAll("\0", "").split(/\r\n|\r|\n/);
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}
