import { clone, create } from "@bufbuild/protobuf";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import {
  AnnotationService,
  UpdateAnnotationRequestSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { warnOfEnd } from "../../domain/annotations/annotation.ts";
import { printKey } from "../../domain/changes/resource-change.ts";
import { listRequiredOf } from "../../domain/kinds.ts";
import { isReadable } from "../steps/read-access.ts";
import { listMaskPaths, readUpdateMask } from "../steps/request-fields.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createRuns } from "./annotation-runs.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of annotations (contract: annotations 2). */
export function createAnnotationService(dependencies: StudioDependencies): StudioService {
  const annotations = new Resource("annotation", dependencies);

  /** Checks that the project has the type. Other references may be to resources that do not exist. */
  const checkType = (call: StudioCall, annotation: Annotation) =>
    call.checkReferences(
      listRequiredOf("annotation", annotation),
      annotation.projectId,
      "annotation",
    );

  /** Warns of a moment that is not in its video, if the account may read when that ends. */
  const checkVideo = async (call: StudioCall, annotation: Annotation) => {
    const { videoId, projectId } = annotation;
    const key = printKey({ kind: "video", id: videoId });
    if (videoId === "" || !isReadable(call, { projectId, key })) return;
    for (const { value } of await call.organization.documents.video.getMany([videoId])) {
      if (value.projectId === projectId) call.warn(warnOfEnd(annotation, value));
    }
  };

  return implementKind(AnnotationService, annotations, {
    async createAnnotation(request, call) {
      const { annotation, annotationId, sourceType, visibility } = request;
      const sent = clone(AnnotationSchema, annotation ?? create(AnnotationSchema));
      sent.sourceType = sourceType || SourceType.MANUAL;
      sent.visibility = visibility || Visibility.PUBLISHED;
      const created = await annotations.create(call, sent, annotationId);
      const types = call.organization.documents.annotation_type;
      const [[type]] = await Promise.all([
        types.getMany([created.typeId]),
        checkType(call, created),
        checkVideo(call, created),
      ]);
      const actionRuns = await createRuns(call, created, type?.value, dependencies.createId);
      if (actionRuns.length > 0) call.hasRuns = true;
      return { annotation: created, actionRuns };
    },

    async updateAnnotation(request, call) {
      const { annotationId, annotation } = request;
      const mask = readUpdateMask(UpdateAnnotationRequestSchema, request) ?? "";
      const changed = await annotations.update(call, annotationId, annotation, mask);
      if (listMaskPaths(mask).includes("type_id")) await checkType(call, changed);
      await checkVideo(call, changed);
      return { annotation: changed };
    },

    async setAnnotationVisibility({ annotationId, visibility }, call) {
      return {
        annotation: await annotations.change(call, annotationId, (current) => ({
          ...current,
          visibility,
        })),
      };
    },
  });
}
