import { clone, create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { ActionRun } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import {
  type Annotation,
  AnnotationSchema,
  SourceType,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { AnnotationType } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { createActionRun } from "../../domain/actions/action-run.ts";
import { readTraceContext } from "../../domain/actions/run-payload.ts";
import { planRuns } from "../../domain/actions/run-plan.ts";
import { checkAnnotation } from "../../domain/annotations/annotation.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { listRequiredOfAnnotation } from "../../domain/messages/required-references.ts";
import { afterCommit, getRequest, getStore } from "../steps/call.ts";
import { checkReferences } from "./required-references.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** The dependencies of the handlers of annotations. */
export interface AnnotationParts extends ResourceParts {
  /** Announces runs that are to be sent as soon as the call commits. */
  readonly onRuns: () => void;
}

/** Creates the management handlers of annotations (contract: annotations 2). */
export function createAnnotationHandlers(
  parts: AnnotationParts,
): ServiceImpl<typeof AnnotationService> {
  const annotations = createResource("annotation", AnnotationSchema, parts, {
    check: checkAnnotation,
    parseOrder: (order) =>
      parseDocumentOrder(order, ["offset"], { field: "offset", direction: "asc" }),
  });

  /** Checks that the project has the type. Other references may be to resources that do not exist. */
  const checkType = (context: HandlerContext, annotation: Annotation) =>
    checkReferences(context, {
      projectId: annotation.projectId,
      references: listRequiredOfAnnotation(annotation),
      path: "annotation",
    });

  /** Creates the runs of a new annotation's type, in the transaction of the annotation. */
  async function createRuns(
    context: HandlerContext,
    annotation: Annotation,
    type: AnnotationType | undefined,
  ): Promise<ActionRun[]> {
    const { documents, actionRuns } = getStore(context.values);
    const { actionConfiguration } = type ?? {};
    const stored = await documents.action.getMany(
      Object.keys(actionConfiguration?.configuration ?? {}),
    );
    const actions = new Map(
      stored
        .filter(({ value }) => value.projectId === annotation.projectId)
        .map(({ value }) => [value.id, value]),
    );
    const plans = planRuns(annotation, actionConfiguration, (id) => actions.has(id));
    const { now } = getRequest(context.values);
    const trace = readTraceContext(context.requestHeader);
    const runs = plans.map((plan) =>
      createActionRun(plan, {
        id: parts.createId(),
        annotation,
        action: actions.get(plan.actionId),
        now,
        trace,
      }),
    );
    await actionRuns.create(runs);
    return runs.map(({ run }) => run);
  }

  return {
    async createAnnotation(request, context) {
      const { annotation, annotationId, sourceType, visibility } = request;
      const sent = clone(AnnotationSchema, annotation ?? create(AnnotationSchema));
      sent.sourceType = sourceType || SourceType.MANUAL;
      sent.visibility = visibility || Visibility.PUBLISHED;
      const created = await annotations.create(context, sent, annotationId);
      const types = getStore(context.values).documents.annotation_type;
      const [[type]] = await Promise.all([
        types.getMany([created.typeId]),
        checkType(context, created),
      ]);
      const actionRuns = await createRuns(context, created, type?.value);
      if (actionRuns.length > 0) afterCommit(context.values, parts.onRuns);
      return { annotation: created, actionRuns };
    },

    async getAnnotation({ annotationId }, context) {
      return { annotation: await annotations.get(context, annotationId) };
    },

    async listAnnotations(request, context) {
      const { values, nextPageToken } = await annotations.list(context, request, [
        request.projectId,
      ]);
      return { annotations: values, nextPageToken };
    },

    async updateAnnotation({ annotationId, annotation, updateMask }, context) {
      const changed = await annotations.update(context, annotationId, annotation, updateMask);
      if (updateMask?.paths.includes("type_id")) await checkType(context, changed);
      return { annotation: changed };
    },

    async setAnnotationVisibility({ annotationId, visibility }, context) {
      return {
        annotation: await annotations.change(context, annotationId, (current) => ({
          ...current,
          visibility,
        })),
      };
    },

    async deleteAnnotation({ annotationId }, context) {
      await annotations.delete(context, annotationId, true);
      return {};
    },
  };
}
