import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import {
  type Annotation,
  SourceType,
  SourceTypeSchema,
} from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type {
  ActionCondition,
  ActionConfiguration,
} from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";

/** The reason why an action of an annotation's type is not sent. */
export type SkipReason =
  | "ACTION_NOT_FOUND"
  | "DISABLED"
  | "CONFIDENCE_TOO_LOW"
  | "SOURCE_TYPE_NOT_LISTED";

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

/**
 * Decides which actions a new annotation runs: one plan for each of the first {@link MOST_ACTIONS} actions in its type's
 * configuration, ordered by id. An override in `action_overrides` replaces settings of the same name, one level deep; an
 * override that is not an object is ignored.
 */
export function planRuns(
  annotation: Annotation,
  configuration: ActionConfiguration | undefined,
  actionExists: (id: string) => boolean,
): RunPlan[] {
  const named = configuration?.configuration ?? {};
  const unmet = findUnmet(annotation, configuration?.conditions ?? []);
  return Object.keys(named)
    .sort()
    .slice(0, MOST_ACTIONS)
    .map((actionId) => {
      const overrides = ownMember(annotation.actionOverrides ?? {}, actionId);
      const settings = { ...toObject(named[actionId]), ...toObject(overrides) };
      const skipReason = actionExists(actionId)
        ? settings.disabled === true
          ? "DISABLED"
          : unmet
        : "ACTION_NOT_FOUND";
      return { actionId, settings, ...(skipReason && { skipReason }) };
    });
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

function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function toObject(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
