import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";

/** An annotation that a text holds: only the fields that the text can hold are set. */
export interface AnnotationText {
  /** Where it begins in the text, from 1. */
  readonly line: number;
  readonly annotation: Annotation;
}
