import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";

/** Video protection rulesets, for playback. */
export interface RulesetStore {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]>;
}
