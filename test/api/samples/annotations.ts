import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  ActionRunSchema,
  ActionRunState,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { DomainError } from "../../../src/domain/errors.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { MethodSample } from "../method-samples.ts";

const PROJECT = "worldcup/worldcup/project";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Makes what is not there, or not there any more, and returns its id. */
const ensure = async (id: string, make: () => Promise<unknown>): Promise<string> => {
  await make().catch((fault) => {
    if (!(fault instanceof DomainError) || fault.reason !== "ALREADY_EXISTS") throw fault;
  });
  return id;
};

/** Its target is nowhere, whatever is sent to it. */
const ensureAction = ({ store }: Marquee) => {
  const kind = { case: "webhook", value: { url: "https://hooks.invalid/" } } as const;
  const action = create(ActionSchema, { ...named("sample-action"), kind });
  return ensure(action.id, () =>
    store.in("org-worldcup").documents.action.create(action, { secret: SECRET }),
  );
};

const ensureType = ({ store }: Marquee) => {
  const type = create(AnnotationTypeSchema, named("sample-type"));
  return ensure(type.id, () => store.in("org-worldcup").documents.annotation_type.create(type));
};

const ensureAnnotation = ({ store }: Marquee) => {
  const annotation = create(AnnotationSchema, { id: "sample-annotation", projectId: "worldcup" });
  return ensure(annotation.id, () =>
    store.in("org-worldcup").documents.annotation.create(annotation),
  );
};

/** A run that was skipped; an annotation is made each time, as for every run. */
const ensureRun = async (marquee: Marquee) => {
  const annotation = create(AnnotationSchema, { id: randomUUID(), projectId: "worldcup" });
  await marquee.store.in("org-worldcup").documents.annotation.create(annotation);
  const run = create(ActionRunSchema, {
    id: "sample-run",
    projectId: "worldcup",
    annotationId: annotation.id,
    actionId: await ensureAction(marquee),
    state: ActionRunState.SKIPPED,
    reason: "DISABLED",
  });
  const payload = { kind: "webhook", body: "{}" } as const;
  return ensure(run.id, () => marquee.store.actionRuns.create([{ run, payload }]));
};

const ensureWebhook = ({ store }: Marquee) => {
  const fields = { ...named("sample-webhook"), url: "https://hooks.invalid/", kinds: ["video"] };
  const webhook = create(WebhookSchema, { ...fields, disabled: true });
  return ensure(webhook.id, () =>
    store.in("org-worldcup").documents.webhook.create(webhook, { secret: SECRET }),
  );
};

const named = (id: string) => ({ id, projectId: "worldcup", name: id });

const ACTION = "svc.studio.annotations.action.v1.ActionService";
const WEBHOOK = "svc.studio.cms.webhook.v1.WebhookService";
const RUN = "svc.studio.annotations.action_run.v1.ActionRunService";
const ANNOTATION = "svc.studio.annotations.annotation.v1.AnnotationService";
const TYPE = "svc.studio.annotations.annotation_type.v1.AnnotationTypeService";

/** Samples of the methods of actions, webhooks, their runs, annotations and their types. */
export const annotationSamples: Readonly<Record<string, MethodSample>> = {
  [`${ACTION}/CreateAction`]: {
    message: {
      action: {
        projectId: "worldcup",
        name: "clip",
        webhook: { url: "https://hooks.example.com/clips" },
      },
    },
    resource: PROJECT,
    isWrite: true,
  },
  [`${ACTION}/DeleteAction`]: {
    message: async (marquee) => ({ actionId: await ensureAction(marquee) }),
    resource: "sample-action/worldcup/action",
    isWrite: true,
  },
  [`${ACTION}/GetAction`]: {
    message: async (marquee) => ({ actionId: await ensureAction(marquee) }),
    resource: "sample-action/worldcup/action",
  },
  [`${ACTION}/ListActions`]: {
    message: { projectId: "worldcup", pageSize: 2 },
    resource: PROJECT,
  },
  [`${ACTION}/RotateActionSecret`]: {
    message: async (marquee) => ({ actionId: await ensureAction(marquee) }),
    resource: "sample-action/worldcup/action",
    isWrite: true,
  },
  [`${ACTION}/UpdateAction`]: {
    message: async (marquee) => ({
      actionId: await ensureAction(marquee),
      action: { name: "changed" },
      updateMask: "name",
    }),
    resource: "sample-action/worldcup/action",
    isWrite: true,
  },
  [`${WEBHOOK}/CreateWebhook`]: {
    message: {
      webhook: {
        ...{ projectId: "worldcup", name: "site", url: "https://hooks.example.com/changes" },
        ...{ kinds: ["video"], disabled: true },
      },
    },
    resource: PROJECT,
    isWrite: true,
  },
  [`${WEBHOOK}/DeleteWebhook`]: {
    message: async (marquee) => ({ webhookId: await ensureWebhook(marquee) }),
    resource: "sample-webhook/worldcup/webhook",
    isWrite: true,
  },
  [`${WEBHOOK}/GetWebhook`]: {
    message: async (marquee) => ({ webhookId: await ensureWebhook(marquee) }),
    resource: "sample-webhook/worldcup/webhook",
  },
  [`${WEBHOOK}/ListWebhooks`]: {
    message: { projectId: "worldcup", pageSize: 2 },
    resource: PROJECT,
  },
  [`${WEBHOOK}/RotateWebhookSecret`]: {
    message: async (marquee) => ({ webhookId: await ensureWebhook(marquee) }),
    resource: "sample-webhook/worldcup/webhook",
    isWrite: true,
  },
  [`${WEBHOOK}/UpdateWebhook`]: {
    message: async (marquee) => ({
      webhookId: await ensureWebhook(marquee),
      webhook: { name: "changed" },
      updateMask: "name",
    }),
    resource: "sample-webhook/worldcup/webhook",
    isWrite: true,
  },
  [`${RUN}/GetActionRun`]: {
    message: async (marquee) => ({ actionRunId: await ensureRun(marquee) }),
    resource: "sample-run/worldcup/action_run",
  },
  [`${RUN}/ListActionRuns`]: {
    message: { projectId: "worldcup", filter: "state: ACTION_RUN_STATE_SKIPPED" },
    resource: PROJECT,
  },
  [`${RUN}/ReplayActionRun`]: {
    message: async (marquee) => ({ actionRunId: await ensureRun(marquee) }),
    resource: "sample-run/worldcup/action_run",
    isWrite: true,
  },
  [`${ANNOTATION}/CreateAnnotation`]: {
    message: {
      annotation: { projectId: "worldcup", typeId: "type-kickoff", offset: "1.5s" },
      sourceType: "SOURCE_TYPE_AUTOMATIC",
    },
    resource: PROJECT,
    isWrite: true,
  },
  [`${ANNOTATION}/DeleteAnnotation`]: {
    message: async (marquee) => ({ annotationId: await ensureAnnotation(marquee) }),
    resource: "sample-annotation/worldcup/annotation",
    isWrite: true,
  },
  [`${ANNOTATION}/GetAnnotation`]: {
    message: { annotationId: "goal-2026-104-1" },
    resource: "goal-2026-104-1/worldcup/annotation",
  },
  [`${ANNOTATION}/ListAnnotations`]: {
    message: { projectId: "worldcup", filter: "video_id: 'video-match-2026-104'", pageSize: 2 },
    resource: PROJECT,
  },
  [`${ANNOTATION}/SetAnnotationVisibility`]: {
    message: async (marquee) => ({
      annotationId: await ensureAnnotation(marquee),
      visibility: "VISIBILITY_HIDDEN",
    }),
    resource: "sample-annotation/worldcup/annotation",
    isWrite: true,
  },
  [`${TYPE}/CreateAnnotationType`]: {
    message: { annotationType: { projectId: "worldcup", name: "corner" } },
    resource: PROJECT,
    isWrite: true,
  },
  [`${TYPE}/DeleteAnnotationType`]: {
    message: async (marquee) => ({ annotationTypeId: await ensureType(marquee) }),
    resource: "sample-type/worldcup/annotation_type",
    isWrite: true,
  },
  [`${TYPE}/GetAnnotationType`]: {
    message: { annotationTypeId: "type-goal" },
    resource: "type-goal/worldcup/annotation_type",
  },
  [`${TYPE}/ListAnnotationTypes`]: {
    message: { projectId: "worldcup", pageSize: 1 },
    resource: PROJECT,
  },
  [`${TYPE}/UpdateActionConfiguration`]: {
    message: async (marquee) => ({
      annotationTypeId: await ensureType(marquee),
      configuration: { [await ensureAction(marquee)]: { level: 1 } },
      conditions: [{ confidenceThreshold: 0.5 }],
    }),
    resource: "sample-type/worldcup/annotation_type",
    isWrite: true,
  },
  [`${TYPE}/UpdateAnnotationType`]: {
    message: async (marquee) => ({
      annotationTypeId: await ensureType(marquee),
      annotationType: { name: "changed" },
      updateMask: "name",
    }),
    resource: "sample-type/worldcup/annotation_type",
    isWrite: true,
  },
};
