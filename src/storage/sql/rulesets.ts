import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ConnectedStore } from "./connections.ts";
import { readAll } from "./stored-document.ts";

/** Video protection rulesets, for playback. */
export class RulesetStore extends ConnectedStore {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    return readAll(this.read, "ruleset", VideoProtectionRulesetSchema, projectId);
  }
}
