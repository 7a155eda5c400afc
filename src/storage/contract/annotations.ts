import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { VisibilityScope } from "./content-store.ts";

/** Selects the annotations to list; at least one of the two ids is set. */
export interface AnnotationQuery extends Omit<VisibilityScope, "at"> {
  readonly videoId?: string;
  readonly eventId?: string;
  readonly limit: number;
  readonly after?: AnnotationPlace;
}

/** A place in the order of annotations: by offset, unset last, then order, then id. */
export interface AnnotationPlace {
  /** Microseconds from the start of the video; absent for an annotation without an offset. */
  readonly offset?: number;
  /** An int64. */
  readonly order: bigint;
  readonly id: string;
}

/** A page of annotations. */
export interface AnnotationPage {
  readonly annotations: readonly Annotation[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: AnnotationPlace;
}

/** Annotations. */
export interface AnnotationStore {
  /** Lists by offset, unset last, then order, then id. */
  list(query: AnnotationQuery): Promise<AnnotationPage>;
}
