import type { ActionRun } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import {
  createActionRun,
  listActionIds,
  type NewActionRun,
  planRun,
} from "../../domain/actions/action-run.ts";
import { toRequestJson } from "../../domain/actions/run-payload.ts";
import { RunRoom } from "../../domain/actions/run-room.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** Creates the runs of a new annotation's type, in the transaction of the annotation. */
export async function createRuns(
  call: StudioCall,
  annotation: Annotation,
  type: AnnotationType | undefined,
  createId: () => string,
): Promise<ActionRun[]> {
  const { actionConfiguration } = type ?? {};
  if (actionConfiguration === undefined) return [];
  const { now, trace, budget, organization, store } = call;
  const room = new RunRoom(await store.actionRuns.countBytes(annotation.projectId));
  const json = budget.count(() => toRequestJson(annotation));
  const runs: NewActionRun[] = [];
  for (const actionId of listActionIds(actionConfiguration)) {
    await budget.nextStep();
    // One after the other, because each may have megabytes.
    const [stored] = await organization.documents.action.getMany([actionId]);
    const found = stored?.value;
    const action = found?.projectId === annotation.projectId ? found : undefined;
    const plan = planRun(annotation, actionConfiguration, actionId, action !== undefined);
    const parts = { id: createId(), annotation, json, action, now, room, trace };
    runs.push(budget.count(() => createActionRun(plan, parts)));
  }
  await store.actionRuns.create(runs);
  return runs.map(({ run }) => run);
}
