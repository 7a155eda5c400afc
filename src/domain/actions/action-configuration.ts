import type { JsonObject } from "@bufbuild/protobuf";
import { SourceTypeSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { ActionCondition } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { invalidField } from "../errors.ts";

/**
 * Checks an action configuration; errors name fields below `path`. INVALID_ARGUMENT `ACTION_NOT_FOUND` for a key that is neither an
 * action of the project nor named by what is stored, `SETTINGS_INVALID` for settings that are no object, `VALUE_OUT_OF_RANGE` for a threshold that
 * is no finite number, `SOURCE_TYPE_UNKNOWN` for a name that no source type has.
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
      throw invalidField(field, "ACTION_NOT_FOUND", "the project has no action of this id");
    }
    if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
      throw invalidField(field, "SETTINGS_INVALID", "the settings of an action are a JSON object");
    }
  }
  for (const [at, condition] of conditions.entries())
    checkCondition(condition, `${path}conditions[${at}]`);
}

function checkCondition({ confidenceThreshold, sourceTypes }: ActionCondition, path: string): void {
  if (!Number.isFinite(confidenceThreshold)) {
    const field = `${path}.confidence_threshold`;
    throw invalidField(field, "VALUE_OUT_OF_RANGE", "it must be a finite number");
  }
  const known = SourceTypeSchema.values.map(({ name }) => name);
  for (const [at, name] of (sourceTypes?.types ?? []).entries()) {
    if (known.includes(name)) continue;
    throw invalidField(
      `${path}.source_types.types[${at}]`,
      "SOURCE_TYPE_UNKNOWN",
      `it is one of ${known.join(", ")}`,
    );
  }
}
