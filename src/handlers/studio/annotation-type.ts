import type { ServiceImpl } from "@connectrpc/connect";
import type { AnnotationType } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { AnnotationTypeService } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { GetStore } from "../../storage/store.ts";
import { tagAnswer } from "../conditional.ts";

/** Creates the management handlers of annotation types (SPEC Get action configuration). */
export function createAnnotationTypeHandlers(
  annotationTypes: GetStore<AnnotationType>,
): ServiceImpl<typeof AnnotationTypeService> {
  return {
    async getActionConfiguration(request, context) {
      const stored = await annotationTypes.get(request.annotationTypeId);
      const { actionConfiguration } = stored.value;
      tagAnswer(context, stored);
      return {
        configuration: actionConfiguration?.configuration ?? {},
        conditions: actionConfiguration?.conditions ?? [],
      };
    },
  };
}
