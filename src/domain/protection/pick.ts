import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { appliesTo, viewContent } from "./applies.ts";
import type { VideoContent } from "./content.ts";
import type { PreparedRulesets } from "./prepare.ts";

/**
 * Picks the ruleset that decides about a video for a viewer in `country` (upper case; undefined:
 * unknown): of those that apply the one with the highest priority, ties by the smallest id.
 * Undefined when none applies. `now` is in Unix milliseconds.
 */
export function pickRuleset(
  rulesets: PreparedRulesets,
  content: VideoContent,
  country: string | undefined,
  now: number,
): VideoProtectionRuleset | undefined {
  const viewed = viewContent(content);
  return rulesets.index.list(viewed).find((it) => appliesTo(it, viewed, country, now))?.ruleset;
}

/** Lists every ruleset that applies, the one that {@link pickRuleset} picks first. */
export function listApplicableRulesets(
  rulesets: PreparedRulesets,
  content: VideoContent,
  country: string | undefined,
  now: number,
): readonly VideoProtectionRuleset[] {
  const viewed = viewContent(content);
  return rulesets.index
    .list(viewed)
    .filter((it) => appliesTo(it, viewed, country, now))
    .map(({ ruleset }) => ruleset);
}
