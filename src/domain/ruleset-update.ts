import { clone, type DescOneof } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { invalidField } from "./errors.ts";
import { isSettable } from "./field-behavior.ts";
import { applyMask, type CheckedMask, checkMask, updatableFields } from "./field-mask.ts";
import { checkRuleset, normalizeRuleset } from "./ruleset.ts";

/** The names that the mask of a ruleset's update may hold. */
export const RULESET_UPDATABLE = updatableFields(VideoProtectionRulesetSchema, isSettable);

const GROUPS = VideoProtectionRulesetSchema.oneofs;

/**
 * Checks the mask of a ruleset's update: allowed names, and one member of a group at most.
 * INVALID_ARGUMENT `UPDATE_MASK_INVALID` or `ONEOF_CONFLICT`.
 */
export function checkRulesetMask(paths: readonly string[]): CheckedMask {
  const mask = checkMask(paths, RULESET_UPDATABLE);
  for (const group of GROUPS) {
    const named = namesOf(group).filter((name) => mask.includes(name));
    if (named.length <= 1) continue;
    throw invalidField(
      "update_mask",
      "ONEOF_CONFLICT",
      `it names ${named.join(" and ")} of ${group.name}; at most one may be set`,
    );
  }
  return mask;
}

/**
 * Returns the ruleset as an update leaves it, in the form that is kept and checked whole: naming a
 * member of a group clears the others, and the group itself where the update has no such member; a
 * group's boolean that is false is no member. INVALID_ARGUMENT as `checkRuleset`, or `FIELD_REQUIRED`.
 */
export function updateRuleset(
  current: VideoProtectionRuleset,
  update: VideoProtectionRuleset,
  mask: CheckedMask,
): VideoProtectionRuleset {
  const emptied = clearGroups(current, mask);
  const changed = applyMask(VideoProtectionRulesetSchema, emptied, normalizeRuleset(update), mask);
  if (changed.name === "") {
    throw invalidField("video_protection_ruleset.name", "FIELD_REQUIRED", "it is required");
  }
  checkRuleset(changed);
  return changed;
}

function clearGroups(current: VideoProtectionRuleset, mask: CheckedMask): VideoProtectionRuleset {
  const result = clone(VideoProtectionRulesetSchema, current);
  const target = reflect(VideoProtectionRulesetSchema, result);
  for (const group of GROUPS) {
    const member = target.oneofCase(group);
    const isNamed = namesOf(group).some((name) => mask.includes(name));
    if (isNamed && member !== undefined) target.clear(member);
  }
  return result;
}

function namesOf(group: DescOneof): string[] {
  return group.fields.map(({ name }) => name);
}
