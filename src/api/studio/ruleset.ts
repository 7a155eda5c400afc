import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { checkRulesetMask, updateRuleset } from "../../domain/protection/ruleset.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type ResourceParts } from "./resource.ts";
import type { Simulate } from "./ruleset-simulation.ts";
import { findWarnings, printWarnings } from "./ruleset-warnings.ts";
import { standardMethods } from "./standard-methods.ts";

/** The dependencies of the handlers of rulesets. */
export interface RulesetParts extends ResourceParts {
  readonly simulate: Simulate;
}

/** Creates the management handlers of video protection rulesets (contract: rulesets 13). */
export function createRulesetHandlers(
  parts: RulesetParts,
): Handlers<typeof RulesetService, StudioCall> {
  const rulesets = new Resource("ruleset", parts, {
    checkMask: checkRulesetMask,
    applyUpdate: updateRuleset,
  });
  const warn = async (call: StudioCall, ruleset: VideoProtectionRuleset) => {
    const { now } = call;
    const search = { now, budget: call.budget };
    const text = printWarnings(await findWarnings(call.store, ruleset, search));
    if (text !== undefined) call.setHeader("marquee-warnings", text);
  };
  return {
    ...standardMethods(RulesetService, rulesets),

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
      return parts.simulate(request, call.now);
    },
  };
}
