import type { JsonObject } from "@bufbuild/protobuf";
import { SourceTypeSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { ActionCondition } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";

/**
 * Checks an action configuration; errors name fields below `path`. INVALID_ARGUMENT `ACTION_NOT_FOUND`
 * for a key for which `actionExists` is false, `SETTINGS_INVALID` for settings that are not an object,
 * `VALUE_OUT_OF_RANGE` for a threshold that is not finite, `SOURCE_TYPE_UNKNOWN` for an unknown source
 * type.
 */
export function checkActionConfiguration(
  configuration: JsonObject,
  conditions: readonly ActionCondition[],
  actionExists: (id: string) => boolean,
  path = "",
): void {
  for (const [id, settings] of Object.entries(configuration)) {
    const field = `${path}configuration.${id}`;
    if (!actionExists(id)) {
      throw invalidField(field, "ACTION_NOT_FOUND", `the project has no action '${clip(id)}'`);
    }
    if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
      throw invalidField(field, "SETTINGS_INVALID", "must be a JSON object");
    }
  }
  for (const [at, condition] of conditions.entries()) {
    checkCondition(condition, `${path}conditions[${at}]`);
  }
}

function checkCondition({ confidenceThreshold, sourceTypes }: ActionCondition, path: string): void {
  if (!Number.isFinite(confidenceThreshold)) {
    const field = `${path}.confidence_threshold`;
    throw invalidField(field, "VALUE_OUT_OF_RANGE", "must be a finite number");
  }
  const known = SourceTypeSchema.values.map(({ name }) => name);
  for (const [at, name] of (sourceTypes?.types ?? []).entries()) {
    if (known.includes(name)) continue;
    throw invalidField(
      `${path}.source_types.types[${at}]`,
      "SOURCE_TYPE_UNKNOWN",
      `'${clip(name)}' is not one of ${known.join(", ")}`,
    );
  }
}
