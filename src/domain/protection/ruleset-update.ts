import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { invalidField } from "../errors.ts";
import { isSettable } from "../messages/field-behavior.ts";
import { applyMask, type CheckedMask, checkMask, updatableFields } from "../messages/field-mask.ts";
import { checkRuleset } from "./ruleset.ts";

/** The fields that an update mask of a ruleset may name. */
export const RULESET_UPDATABLE = updatableFields(VideoProtectionRulesetSchema, isSettable);

/**
 * Checks the update mask of a ruleset: allowed names, and at most one member of a oneof. A boolean member
 * that the normalized update does not set is neutral, so the mask may name it beside another member
 * (contract: rulesets 5). INVALID_ARGUMENT `UPDATE_MASK_INVALID` or `ONEOF_CONFLICT`.
 */
export function checkRulesetMask(
  paths: readonly string[],
  update: VideoProtectionRuleset,
): CheckedMask {
  const mask = checkMask(paths, RULESET_UPDATABLE);
  const source = reflect(VideoProtectionRulesetSchema, update);
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    const named = group.fields
      .filter((field) => field.fieldKind === "message" || source.isSet(field))
      .filter(({ name }) => mask.includes(name));
    if (named.length <= 1) continue;
    throw invalidField(
      "update_mask",
      "ONEOF_CONFLICT",
      `must name at most one field of ${group.name}, not ${named.map(({ name }) => name).join(" and ")}`,
    );
  }
  return mask;
}

/**
 * Applies a normalized update to a ruleset and checks the result. A member of a oneof that the update sets
 * replaces the stored one; a member without a value clears only itself. INVALID_ARGUMENT as
 * `checkRuleset`, or `FIELD_REQUIRED`.
 */
export function updateRuleset(
  current: VideoProtectionRuleset,
  update: VideoProtectionRuleset,
  mask: CheckedMask,
): VideoProtectionRuleset {
  const changed = applyMask(VideoProtectionRulesetSchema, current, update, mask);
  if (changed.name === "") {
    throw invalidField("video_protection_ruleset.name", "FIELD_REQUIRED", "is required");
  }
  checkRuleset(changed);
  return changed;
}
