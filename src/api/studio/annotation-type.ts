import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ActionConfigurationSchema,
  AnnotationTypeSchema,
} from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { AnnotationTypeService } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { checkActionConfiguration } from "../../domain/actions/action.ts";
import { getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of annotation types (contract: annotations 5). */
export function createAnnotationTypeHandlers(
  parts: ResourceParts,
): ServiceImpl<typeof AnnotationTypeService> {
  const types = createResource("annotation_type", AnnotationTypeSchema, parts, {
    orders: ["create_time", "update_time"],
  });
  return {
    async createAnnotationType({ annotationType, annotationTypeId }, context) {
      return { annotationType: await types.create(context, annotationType, annotationTypeId) };
    },

    async getAnnotationType({ annotationTypeId }, context) {
      return { annotationType: await types.get(context, annotationTypeId) };
    },

    async listAnnotationTypes(request, context) {
      const { values, nextPageToken } = await types.list(context, request, [request.projectId]);
      return { annotationTypes: values, nextPageToken };
    },

    async updateAnnotationType({ annotationTypeId, annotationType, updateMask }, context) {
      return {
        annotationType: await types.update(context, annotationTypeId, annotationType, updateMask),
      };
    },

    async deleteAnnotationType({ annotationTypeId, force }, context) {
      await types.delete(context, annotationTypeId, force);
      return {};
    },

    async getActionConfiguration({ annotationTypeId }, context) {
      const { actionConfiguration } = await types.get(context, annotationTypeId);
      return {
        configuration: actionConfiguration?.configuration ?? {},
        conditions: actionConfiguration?.conditions ?? [],
      };
    },

    async updateActionConfiguration(request, context) {
      const { annotationTypeId, configuration = {}, conditions } = request;
      const stored = await getStore(context.values).documents.action.getMany(
        Object.keys(configuration),
      );
      await types.change(context, annotationTypeId, (type) => {
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
