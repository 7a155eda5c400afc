import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { RulesetStore } from "../../contract/rulesets.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readAll } from "../base/stored-document.ts";

/** Video protection rulesets, for playback. */
export class SqlRulesetStore extends ConnectedStore implements RulesetStore {
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    return readAll(this.read, "ruleset", VideoProtectionRulesetSchema, projectId);
  }
}
