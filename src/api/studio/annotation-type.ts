import { create } from "@bufbuild/protobuf";
import { ActionConfigurationSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { AnnotationTypeService } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { checkActionConfiguration } from "../../domain/actions/action.ts";
import type { StudioService } from "../steps/service.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of annotation types (contract: annotations 5). */
export function createAnnotationTypeService(dependencies: StudioDependencies): StudioService {
  const types = new Resource("annotation_type", dependencies);
  return implementKind(AnnotationTypeService, types, {
    async getActionConfiguration({ annotationTypeId }, call) {
      const { actionConfiguration } = await types.get(call, annotationTypeId);
      return {
        configuration: actionConfiguration?.configuration ?? {},
        conditions: actionConfiguration?.conditions ?? [],
      };
    },

    async updateActionConfiguration(request, call) {
      const { annotationTypeId, configuration = {}, conditions } = request;
      const { store, organizationId } = call;
      const located = await store.access.locate(
        "action",
        Object.keys(configuration),
        organizationId,
      );
      await types.change(call, annotationTypeId, (type) => {
        const ofProject = located.filter(({ projectId }) => projectId === type.projectId);
        const ids = new Set(ofProject.map(({ id }) => id));
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
  });
}
