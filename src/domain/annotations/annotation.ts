import type { Duration } from "@bufbuild/protobuf/wkt";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { invalidField } from "../errors.ts";
import { compareTimes } from "../time.ts";

const ZERO = { seconds: 0n, nanos: 0 };

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
  if (startOffset && endOffset && compareTimes(endOffset, startOffset) < 0) {
    throw invalidField(
      "annotation.end_offset",
      "OFFSET_INVALID",
      "must not be before start_offset",
    );
  }
  if (!Number.isFinite(annotation.confidence)) {
    throw invalidField("annotation.confidence", "VALUE_OUT_OF_RANGE", "must be a finite number");
  }
}

function checkOffset(field: string, offset: Duration | undefined): void {
  if (offset !== undefined && compareTimes(offset, ZERO) < 0) {
    throw invalidField(field, "OFFSET_INVALID", "must not be negative");
  }
}
