import { create, equals } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";
import { chooseId } from "../messages/ids.ts";

/** The result of importing one annotation. */
export interface AnnotationChange {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly annotation: Annotation;
}

/**
 * Imports an annotation read from a text file: creates a published one of SOURCE_TYPE_IMPORT, or replaces
 * all fields that the text format can express in the existing one with its id. INVALID_ARGUMENT `ID_TAKEN`
 * for an id that belongs to another video, `ID_INVALID` for a malformed new id, `REFERENCE_NOT_FOUND` for
 * a newly set type that the project does not have.
 */
export function importAnnotation(
  text: Annotation,
  current: Annotation | undefined,
  video: Video,
  parts: { readonly typeExists: (id: string) => boolean; readonly createId: () => string },
): AnnotationChange {
  const { projectId, id: videoId } = video;
  if (current && (current.projectId !== projectId || current.videoId !== videoId)) {
    throw invalidField("id", "ID_TAKEN", "already belongs to an annotation of another video");
  }
  if (text.typeId !== "" && text.typeId !== current?.typeId && !parts.typeExists(text.typeId)) {
    const why = `the project has no annotation type '${clip(text.typeId)}'`;
    throw invalidField("type_id", "REFERENCE_NOT_FOUND", why);
  }
  const annotation = create(AnnotationSchema, {
    ...text,
    id: current?.id ?? chooseId(text.id, "id", parts.createId),
    ...{ projectId, videoId },
    visibility: current?.visibility ?? Visibility.PUBLISHED,
    sourceType: current?.sourceType ?? SourceType.IMPORT,
  });
  if (current === undefined) return { outcome: "created", annotation };
  const isSame = equals(AnnotationSchema, current, annotation);
  return { outcome: isSame ? "unchanged" : "updated", annotation };
}
