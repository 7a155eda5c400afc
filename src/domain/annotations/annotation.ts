import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { compareTimes, ZERO_TIME } from "../base/time.ts";
import type { Warning } from "../base/warnings.ts";

/**
 * Checks that the offsets of an annotation are not negative, that its end is not before its start
 * (contract: annotations 3) and that its confidence is finite. INVALID_ARGUMENT `OFFSET_INVALID` or
 * `VALUE_OUT_OF_RANGE`.
 */
export function checkAnnotation(annotation: Annotation): void {
  const { offset, startOffset, endOffset } = annotation;
  checkOffset("annotation.offset", offset);
  checkOffset("annotation.start_offset", startOffset);
  checkOffset("annotation.end_offset", endOffset);
  const isSpan = !startOffset || !endOffset || compareTimes(endOffset, startOffset) >= 0;
  checkField(isSpan, "annotation.end_offset", "OFFSET_INVALID", "must not be before start_offset");
  const isNumber = Number.isFinite(annotation.confidence);
  checkField(isNumber, "annotation.confidence", "VALUE_OUT_OF_RANGE", "must be a finite number");
}

/** Warns of the offsets of an annotation that are after the end of its video: `OFFSET_PAST_END`. */
export function warnOfEnd(annotation: Annotation, { duration }: Video): Warning | undefined {
  const { offset, startOffset, endOffset } = annotation;
  const offsets = { offset, start_offset: startOffset, end_offset: endOffset };
  const fields = Object.entries(offsets).flatMap(([name, it]) =>
    it && duration && compareTimes(it, duration) > 0 ? `annotation.${name}` : [],
  );
  if (fields.length === 0) return undefined;
  const message = `${fields.join(", ")}: must not be after the end of the video, at ${duration?.seconds} s`;
  return { code: "OFFSET_PAST_END", fields, message };
}

function checkOffset(field: string, offset: Duration | undefined): void {
  const holds = offset === undefined || compareTimes(offset, ZERO_TIME) >= 0;
  checkField(holds, field, "OFFSET_INVALID", "must not be negative");
}
