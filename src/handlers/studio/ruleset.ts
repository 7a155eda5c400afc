import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import type { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { checkRuleset, normalizeRuleset } from "../../domain/ruleset.ts";
import type { RulesetStore } from "../../storage/store.ts";
import { readIfMatch, tagAnswer } from "../conditional.ts";

/** Creates the management handlers of video protection rulesets (SPEC Create ruleset). */
export function createRulesetHandlers(
  rulesets: Pick<RulesetStore, "create">,
  createId: () => string,
): ServiceImpl<typeof RulesetService> {
  return {
    async createRuleset(request, context) {
      readIfMatch(context)(undefined);
      const sent = request.videoProtectionRuleset ?? create(VideoProtectionRulesetSchema);
      const ruleset = normalizeRuleset(sent);
      checkRuleset(ruleset);
      ruleset.id = createId();
      const stored = await rulesets.create(ruleset);
      tagAnswer(context, stored);
      return { videoProtectionRuleset: stored.value };
    },
  };
}
