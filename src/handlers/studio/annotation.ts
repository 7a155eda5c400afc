import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type Annotation,
  AnnotationSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { ANNOTATION_UPDATABLE, checkAnnotation } from "../../domain/annotation.ts";
import { applyMask, checkMask } from "../../domain/field-mask.ts";
import type { UpdateStore } from "../../storage/store.ts";
import { readIfMatch, tagAnswer } from "../conditional.ts";

/** Creates the management handlers of annotations (SPEC Update annotation). */
export function createAnnotationHandlers(
  annotations: UpdateStore<Annotation>,
): ServiceImpl<typeof AnnotationService> {
  return {
    async updateAnnotation(request, context) {
      const demand = readIfMatch(context);
      const mask = checkMask(request.updateMask?.paths ?? [], ANNOTATION_UPDATABLE);
      const update = request.annotation ?? create(AnnotationSchema);
      const stored = await annotations.update(request.annotationId, (current) => {
        demand(current);
        const changed = applyMask(AnnotationSchema, current.value, update, mask);
        checkAnnotation(changed);
        return changed;
      });
      tagAnswer(context, stored);
      return { annotation: stored.value };
    },
  };
}
