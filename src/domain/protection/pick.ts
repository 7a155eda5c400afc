import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { VideoSelection } from "./video-selection.ts";
import { includesCountry } from "./viewers.ts";

/**
 * Picks the ruleset that decides about a video for a viewer in `country` (upper case; undefined:
 * unknown): of those that apply the one with the highest priority, ties by the smallest id.
 * Undefined when none applies.
 */
export function pickRuleset(
  { rulesets }: VideoSelection,
  country: string | undefined,
): VideoProtectionRuleset | undefined {
  return rulesets.find(({ viewers }) => includesCountry(viewers, country))?.ruleset;
}

/** Lists every ruleset that applies, the one that {@link pickRuleset} picks first. */
export function listApplicableRulesets(
  { rulesets }: VideoSelection,
  country: string | undefined,
): readonly VideoProtectionRuleset[] {
  return rulesets
    .filter(({ viewers }) => includesCountry(viewers, country))
    .map(({ ruleset }) => ruleset);
}
