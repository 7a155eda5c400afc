import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import {
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import {
  checkRuleset,
  checkRulesetMask,
  normalizeRuleset,
  updateRuleset,
} from "../../domain/protection/ruleset.ts";
import { getRequest, getStore, getWorkBudget } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";
import type { Simulate } from "./ruleset-simulation.ts";
import { findWarnings, printWarnings } from "./ruleset-warnings.ts";

/** The dependencies of the handlers of rulesets. */
export interface RulesetParts extends ResourceParts {
  readonly simulate: Simulate;
}

/** Creates the management handlers of video protection rulesets (contract: rulesets 13). */
export function createRulesetHandlers(parts: RulesetParts): ServiceImpl<typeof RulesetService> {
  const rulesets = createResource("ruleset", VideoProtectionRulesetSchema, parts, {
    field: "video_protection_ruleset",
    normalize: normalizeRuleset,
    check: checkRuleset,
    checkMask: checkRulesetMask,
    applyUpdate: updateRuleset,
  });
  const warn = async (context: HandlerContext, ruleset: VideoProtectionRuleset) => {
    const { now } = getRequest(context.values);
    const search = { now, budget: getWorkBudget(context.values) };
    const text = printWarnings(await findWarnings(getStore(context.values), ruleset, search));
    if (text !== undefined) context.responseHeader.set("marquee-warnings", text);
  };
  return {
    async createRuleset({ videoProtectionRuleset, rulesetId }, context) {
      const created = await rulesets.create(context, videoProtectionRuleset, rulesetId);
      await warn(context, created);
      return { videoProtectionRuleset: created };
    },

    async getRuleset({ rulesetId }, context) {
      return { videoProtectionRuleset: await rulesets.get(context, rulesetId) };
    },

    async listRulesets(request, context) {
      const { values, nextPageToken } = await rulesets.list(context, request, [request.projectId]);
      return { videoProtectionRulesets: values, nextPageToken };
    },

    async updateRuleset({ rulesetId, videoProtectionRuleset, updateMask }, context) {
      const changed = await rulesets.update(context, rulesetId, videoProtectionRuleset, updateMask);
      await warn(context, changed);
      return { videoProtectionRuleset: changed };
    },

    async deleteRuleset({ rulesetId }, context) {
      await rulesets.delete(context, rulesetId, true);
      return {};
    },

    simulateRulesets(request, context) {
      context.responseHeader.set("cache-control", "private, no-store");
      return parts.simulate(request, getRequest(context.values).now);
    },
  };
}
