import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { toTitle } from "./cue-title.ts";
import { MILLISECOND, printTimestamp, toNanos } from "./offset-text.ts";
import { type Cue, isIdentifier } from "./web-vtt-cue.ts";

/** An annotation and its cue. */
export interface ShownAnnotation {
  readonly annotation: Annotation;
  readonly cue: Cue;
}

/** Creates the cues of annotations, ordered by start, order and id, as described at `printWebVtt`. */
export function toCues(
  annotations: readonly Annotation[],
  titleOf: (annotation: Annotation) => string,
): ShownAnnotation[] {
  const cues: ShownAnnotation[] = [];
  let next: bigint | undefined;
  let later: bigint | undefined;
  // Backwards, because the end of a cue may be the start of a later one.
  for (const annotation of [...annotations].sort(compare).reverse()) {
    const start = cut(startOf(annotation));
    if (start !== next) [next, later] = [start, next];
    const label = toTitle(annotation.timerLabel);
    const cue: Cue = {
      id: isIdentifier(annotation.id) ? annotation.id : "",
      start_offset: printTimestamp(start),
      end_offset: printTimestamp(endOf(annotation, start, later)),
      timer_label: label === "" ? toTitle(titleOf(annotation)) : label,
    };
    cues.push({ annotation, cue });
  }
  return cues.reverse();
}

function compare(a: Annotation, b: Annotation): number {
  const [start, otherStart] = [startOf(a), startOf(b)];
  if (start !== otherStart) return start < otherStart ? -1 : 1;
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function startOf({ startOffset, offset }: Annotation): bigint {
  const start = startOffset ?? offset;
  return start === undefined ? 0n : toNanos(start);
}

function endOf({ endOffset }: Annotation, start: bigint, later: bigint | undefined): bigint {
  const least = start + MILLISECOND;
  if (endOffset === undefined) return later ?? least;
  const end = cut(toNanos(endOffset));
  return end < least ? least : end;
}

function cut(nanos: bigint): bigint {
  return nanos - (nanos % MILLISECOND);
}
