import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { compareCodePoints } from "../kql/index.ts";

/**
 * Orders rulesets by who wins where both apply: the highest priority first, ties by the smallest id
 * in code point order (SPEC Video protection ruleset, `priority`; CONTRACT 6 Playback).
 */
export function compareByPrecedence(
  left: VideoProtectionRuleset,
  right: VideoProtectionRuleset,
): number {
  if (left.priority !== right.priority) return left.priority > right.priority ? -1 : 1;
  return compareCodePoints(left.id, right.id);
}
