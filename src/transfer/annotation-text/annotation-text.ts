import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";

/** An annotation read from a text: only fields that the format can represent are set. */
export interface AnnotationText {
  /** Its first line, from 1. */
  readonly line: number;
  readonly annotation: Annotation;
}
