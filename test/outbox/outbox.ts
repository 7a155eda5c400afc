import { randomUUID } from "node:crypto";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { type Action, ActionSchema } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionRun } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { createActionRun } from "../../src/domain/actions/action-run.ts";
import { toRequestJson } from "../../src/domain/actions/run-payload.ts";
import { RunRoom } from "../../src/domain/actions/run-room.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { ALPHA } from "../storage/small-dataset.ts";

/** What the actions of these tests sign with. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** Keeps an action that sends a webhook; its project is alpha unless said. */
export async function createWebhook(
  store: Store,
  id: string,
  url: string,
  projectId = ALPHA,
): Promise<Action> {
  const kind = { case: "webhook", value: { url } } as const;
  const action = create(ActionSchema, { id, projectId, name: id, kind });
  const [project] = await store.access.locate("project", [projectId]);
  const { documents } = store.in(project?.organizationId ?? "");
  await documents.action.create(action, { secret: SECRET });
  return action;
}

/** Keeps a run of an action that is due at a time, and returns it. */
export async function createDueRun(
  store: Store,
  action: Action,
  now: Date,
  settings: JsonObject = {},
): Promise<ActionRun> {
  const { projectId } = action;
  const annotation = create(AnnotationSchema, { id: randomUUID(), projectId });
  const made = createActionRun(
    { actionId: action.id, settings },
    {
      ...{ id: randomUUID(), annotation, json: toRequestJson(annotation), action, now },
      room: new RunRoom(0),
    },
  );
  await store.actionRuns.create([made]);
  return made.run;
}
