import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { findWarnings } from "./ruleset-warnings.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of video protection rulesets (contract: rulesets 13). */
export function createRulesetService(dependencies: StudioDependencies): Service<StudioCall> {
  const rulesets = new Resource("ruleset", dependencies);
  const warn = async (call: StudioCall, ruleset: VideoProtectionRuleset) => {
    const { now } = call;
    const search = { now, budget: call.budget };
    call.warn(...(await findWarnings(call.store, ruleset, search)));
  };
  return implementKind(RulesetService, rulesets, {
    async createRuleset({ videoProtectionRuleset, rulesetId }, call) {
      const created = await rulesets.create(call, videoProtectionRuleset, rulesetId);
      await warn(call, created);
      return { videoProtectionRuleset: created };
    },

    async updateRuleset({ rulesetId, videoProtectionRuleset, updateMask }, call) {
      const changed = await rulesets.update(call, rulesetId, videoProtectionRuleset, updateMask);
      await warn(call, changed);
      return { videoProtectionRuleset: changed };
    },

    simulateRulesets(request, call) {
      call.setHeader("cache-control", "private, no-store");
      return dependencies.simulation.simulate(request, call);
    },
  });
}
