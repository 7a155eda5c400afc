import { create } from "@bufbuild/protobuf";
import { ActionConfigurationSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { AnnotationTypeService } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { checkActionConfiguration } from "../../domain/actions/action.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type ResourceParts } from "./resource.ts";
import { standardMethods } from "./standard-methods.ts";

/** Creates the management handlers of annotation types (contract: annotations 5). */
export function createAnnotationTypeHandlers(
  parts: ResourceParts,
): Handlers<typeof AnnotationTypeService, StudioCall> {
  const types = new Resource("annotation_type", parts);
  return {
    ...standardMethods(AnnotationTypeService, types),

    async getActionConfiguration({ annotationTypeId }, call) {
      const { actionConfiguration } = await types.get(call, annotationTypeId);
      return {
        configuration: actionConfiguration?.configuration ?? {},
        conditions: actionConfiguration?.conditions ?? [],
      };
    },

    async updateActionConfiguration(request, call) {
      const { annotationTypeId, configuration = {}, conditions } = request;
      const stored = await call.store.documents.action.getMany(Object.keys(configuration));
      await types.change(call, annotationTypeId, (type) => {
        const own = stored.filter(({ value }) => value.projectId === type.projectId);
        const ids = new Set(own.map(({ value }) => value.id));
        const named = type.actionConfiguration?.configuration ?? {};
        const isKnown = (id: string) => ids.has(id) || Object.hasOwn(named, id);
        checkActionConfiguration(configuration, conditions, isKnown);
        return {
          ...type,
          actionConfiguration: create(ActionConfigurationSchema, { configuration, conditions }),
        };
      });
      return { configuration, conditions };
    },
  };
}
