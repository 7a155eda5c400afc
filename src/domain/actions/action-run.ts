import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  type ActionRun,
  ActionRunSchema,
  ActionRunState,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { Annotation } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { Code, DomainError } from "../errors.ts";
import { createPayload, type RunPayload } from "./run-payload.ts";
import type { RunPlan } from "./run-plan.ts";

/** A run that is not kept yet. */
export interface NewActionRun {
  readonly run: ActionRun;
  /** Absent: there is nothing to send, now or ever. */
  readonly payload?: RunPayload;
}

/**
 * Creates the run of a plan: pending, skipped, or failed with `REQUEST_NOT_ACCEPTED` where the method of
 * the action does not take what its template makes of the annotation.
 */
export function createActionRun(
  { actionId, settings, skipReason }: RunPlan,
  parts: {
    readonly id: string;
    readonly annotation: Annotation;
    readonly action: Action | undefined;
    readonly now: Date;
  },
): NewActionRun {
  const { id, annotation, action, now } = parts;
  const run = create(ActionRunSchema, {
    id,
    projectId: annotation.projectId,
    annotationId: annotation.id,
    annotationTypeId: annotation.typeId,
    actionId,
    createTime: timestampFromDate(now),
  });
  if (action === undefined) {
    return { run: endRun(run, ActionRunState.SKIPPED, skipReason ?? "ACTION_NOT_FOUND", now) };
  }
  try {
    const payload = createPayload(action, annotation, settings, now);
    if (skipReason === undefined) return { run: awaitRun(run, "", now), payload };
    return { run: endRun(run, ActionRunState.SKIPPED, skipReason, now), payload };
  } catch (fault) {
    if (!(fault instanceof DomainError)) throw fault;
    const state = skipReason === undefined ? ActionRunState.FAILED : ActionRunState.SKIPPED;
    return { run: endRun(run, state, skipReason ?? fault.reason, now) };
  }
}

/**
 * Checks that a run can be sent again. FAILED_PRECONDITION `REQUEST_NOT_ACCEPTED` if nothing could be made
 * to be sent, `ACTION_NOT_FOUND` if there was no action or is none any more.
 */
export function checkReplay({ state, reason }: ActionRun, canBeSent: boolean): void {
  if (canBeSent) return;
  const isRefused = state === ActionRunState.FAILED && reason === "REQUEST_NOT_ACCEPTED";
  throw isRefused
    ? new DomainError(
        Code.FAILED_PRECONDITION,
        "REQUEST_NOT_ACCEPTED",
        "the method of the action did not take what its template made of the annotation",
      )
    : new DomainError(
        Code.FAILED_PRECONDITION,
        "ACTION_NOT_FOUND",
        "the action does not exist, or did not when the annotation was created",
      );
}

/** Returns a run that is to be sent again from the beginning, at once. */
export function replayRun(run: ActionRun, now: Date): ActionRun {
  return { ...awaitRun(run, "", now), attemptCount: 0 };
}

/** Returns a run as one more attempt leaves it that is followed by another at a time. */
export function retryRun(run: ActionRun, reason: string, at: Date): ActionRun {
  return { ...awaitRun(run, reason, at), attemptCount: run.attemptCount + 1 };
}

/** Returns a run as its last attempt leaves it. */
export function concludeRun(
  run: ActionRun,
  state: ActionRunState,
  reason: string,
  now: Date,
): ActionRun {
  return { ...endRun(run, state, reason, now), attemptCount: run.attemptCount + 1 };
}

/** Returns a run that ended without an attempt. */
export function endRun(
  run: ActionRun,
  state: ActionRunState,
  reason: string,
  now: Date,
): ActionRun {
  const ended = clone(ActionRunSchema, run);
  delete ended.nextAttemptTime;
  return { ...ended, state, reason, endTime: timestampFromDate(now) };
}

function awaitRun(run: ActionRun, reason: string, at: Date): ActionRun {
  const awaited = clone(ActionRunSchema, run);
  delete awaited.endTime;
  return {
    ...awaited,
    state: ActionRunState.PENDING,
    reason,
    nextAttemptTime: timestampFromDate(at),
  };
}
