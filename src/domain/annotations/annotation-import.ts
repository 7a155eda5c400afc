import { create, equals } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { invalidField } from "../errors.ts";
import { chooseId } from "../messages/ids.ts";

/** What an import makes of one annotation of its text. */
export interface AnnotationChange {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly annotation: Annotation;
}

/**
 * Decides what an import makes of an annotation as a text gives it: a new one of the video, published
 * and of SOURCE_TYPE_IMPORT, or the one of its id with everything that a text can say replaced.
 * INVALID_ARGUMENT `ID_TAKEN` for an id of another video, `ID_INVALID` for a new one of another form,
 * `REFERENCE_NOT_FOUND` for a type that the annotation gets and the project does not have.
 */
export function importAnnotation(
  text: Annotation,
  current: Annotation | undefined,
  video: Video,
  parts: { readonly typeExists: (id: string) => boolean; readonly createId: () => string },
): AnnotationChange {
  const { projectId, id: videoId } = video;
  if (current && (current.projectId !== projectId || current.videoId !== videoId)) {
    throw invalidField("id", "ID_TAKEN", "it is the id of an annotation of another video");
  }
  if (text.typeId !== "" && text.typeId !== current?.typeId && !parts.typeExists(text.typeId)) {
    const why = "the project has no annotation type of this id";
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
