import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { compareTimes, ZERO_TIME } from "../base/time.ts";

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

function checkOffset(field: string, offset: Duration | undefined): void {
  const holds = offset === undefined || compareTimes(offset, ZERO_TIME) >= 0;
  checkField(holds, field, "OFFSET_INVALID", "must not be negative");
}
