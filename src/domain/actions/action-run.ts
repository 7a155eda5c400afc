import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { clone, create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Action } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import {
  type ActionRun,
  ActionRunSchema,
  ActionRunState,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import {
  type Annotation,
  SourceType,
  SourceTypeSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type {
  ActionCondition,
  ActionConfiguration,
} from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import { isObject, readOwn } from "../base/json.ts";
import { createPayload, type RunPayload, type TraceContext } from "./run-payload.ts";
import type { RunRoom } from "./run-room.ts";

/** A run that is not stored yet. */
export interface NewActionRun {
  readonly run: ActionRun;
  /** Absent when the run can never be sent. */
  readonly payload?: RunPayload;
}

/**
 * Creates the run of a plan: pending, skipped, or failed with `REQUEST_NOT_ACCEPTED` when the filled
 * template is not a valid request of the action's method, or has no room.
 */
export function createActionRun(
  { actionId, settings, skipReason }: RunPlan,
  parts: {
    readonly id: string;
    readonly annotation: Annotation;
    /** The annotation as requests show it. */
    readonly json: JsonObject;
    readonly action: Action | undefined;
    readonly now: Date;
    readonly room: RunRoom;
    readonly trace?: TraceContext | undefined;
  },
): NewActionRun {
  const { id, annotation, json, action, now, room, trace } = parts;
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
    const payload = {
      ...createPayload(action, json, settings, { now, room }),
      ...(trace && { trace }),
    };
    if (skipReason === undefined) return { run: awaitRun(run, "", now), payload };
    return { run: endRun(run, ActionRunState.SKIPPED, skipReason, now), payload };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const state = skipReason === undefined ? ActionRunState.FAILED : ActionRunState.SKIPPED;
    return { run: endRun(run, state, skipReason ?? error.reason, now) };
  }
}

/**
 * Checks that a run can be sent again. FAILED_PRECONDITION:
 * - `REQUEST_NOT_ACCEPTED`: the request of the run could not be built.
 * - `ACTION_NOT_FOUND`: the action does not exist, or did not when the run was created.
 * - `WEBHOOK_NOT_FOUND`: the webhook does not exist.
 */
export function checkReplay({ state, reason, webhookId }: ActionRun, canBeSent: boolean): void {
  if (canBeSent) return;
  if (webhookId !== "") {
    const message = `the webhook '${webhookId}' of this run does not exist`;
    throw new DomainError(Code.FAILED_PRECONDITION, "WEBHOOK_NOT_FOUND", message);
  }
  const isRejected = state === ActionRunState.FAILED && reason === "REQUEST_NOT_ACCEPTED";
  throw isRejected
    ? new DomainError(
        Code.FAILED_PRECONDITION,
        "REQUEST_NOT_ACCEPTED",
        "the action's template did not produce a valid request for this annotation; correct the template and create a new annotation",
      )
    : new DomainError(
        Code.FAILED_PRECONDITION,
        "ACTION_NOT_FOUND",
        "the action of this run does not exist, or did not when the annotation was created",
      );
}

/** Returns the run reset for immediate sending, without attempts. */
export function replayRun(run: ActionRun, now: Date): ActionRun {
  return { ...awaitRun(run, "", now), attemptCount: 0 };
}

/** Returns the run after a failed attempt, with the next one due at the given time. */
export function retryRun(run: ActionRun, reason: string, at: Date): ActionRun {
  return { ...awaitRun(run, reason, at), attemptCount: run.attemptCount + 1 };
}

/** Returns the run after its last attempt. */
export function concludeRun(
  run: ActionRun,
  state: ActionRunState,
  reason: string,
  now: Date,
): ActionRun {
  return { ...endRun(run, state, reason, now), attemptCount: run.attemptCount + 1 };
}

/** Returns the run ended without another attempt. */
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

/** The reason why an action of an annotation's type is not sent. */
type SkipReason = "ACTION_NOT_FOUND" | "DISABLED" | "CONFIDENCE_TOO_LOW" | "SOURCE_TYPE_NOT_LISTED";

/** One action to run for a new annotation, or the reason to skip it. */
export interface RunPlan {
  readonly actionId: string;
  /** The settings of the annotation type, overridden by the annotation's settings. */
  readonly settings: JsonObject;
  /** Absent when the action is sent. */
  readonly skipReason?: SkipReason;
}

/** The most actions that an annotation runs: each run has a payload of its own with the annotation. */
export const MOST_ACTIONS = 100;

/** Lists the actions that an annotation runs: the first {@link MOST_ACTIONS} of its type's configuration, by id. */
export function listActionIds({ configuration = {} }: ActionConfiguration): string[] {
  return Object.keys(configuration).sort().slice(0, MOST_ACTIONS);
}

/**
 * Decides how a new annotation runs an action of its type's configuration. An override in `action_overrides` replaces settings of
 * the same name, one level deep; an override that is not an object is ignored.
 */
export function planRun(
  annotation: Annotation,
  { configuration = {}, conditions }: ActionConfiguration,
  actionId: string,
  actionExists: boolean,
): RunPlan {
  const overrides = readOwn(annotation.actionOverrides, actionId);
  const settings = { ...toObject(configuration[actionId]), ...toObject(overrides) };
  const skipReason = actionExists
    ? settings.disabled === true
      ? "DISABLED"
      : findUnmet(annotation, conditions)
    : "ACTION_NOT_FOUND";
  return { actionId, settings, ...(skipReason && { skipReason }) };
}

/**
 * Finds the first condition that an annotation does not meet. A manual annotation without confidence
 * counts as certain and meets every threshold.
 */
function findUnmet(
  { confidence, sourceType }: Annotation,
  conditions: readonly ActionCondition[],
): SkipReason | undefined {
  const name = SourceTypeSchema.value[sourceType]?.name ?? "";
  const isCertain = sourceType === SourceType.MANUAL && confidence === 0;
  for (const { confidenceThreshold, sourceTypes } of conditions) {
    if (!isCertain && confidence < confidenceThreshold) return "CONFIDENCE_TOO_LOW";
    const types = sourceTypes?.types ?? [];
    if (types.length > 0 && !types.includes(name)) return "SOURCE_TYPE_NOT_LISTED";
  }
  return undefined;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
