import { create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { getAccount, getRequest } from "../../auth/caller.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import { MANAGEMENT_PAGE_SIZE, resolvePageSize } from "../../domain/paging.ts";
import type { RulesetWarning } from "../../domain/protection/index.ts";
import { checkRuleset, normalizeRuleset } from "../../domain/ruleset.ts";
import { checkRulesetMask, updateRuleset } from "../../domain/ruleset-update.ts";
import type { RulesetStore } from "../../storage/store.ts";
import { readIfMatch, tagAnswer } from "../conditional.ts";
import type { Simulate } from "./ruleset-simulation.ts";
import { type FindWarnings, printWarnings } from "./ruleset-warnings.ts";

/** What the handlers of rulesets stand on. */
export interface RulesetParts {
  readonly rulesets: RulesetStore;
  readonly findWarnings: FindWarnings;
  readonly simulate: Simulate;
  readonly pageTokens: PageTokens;
  readonly createId: () => string;
}

/** Creates the management handlers of video protection rulesets (SPEC Create ruleset). */
export function createRulesetHandlers(parts: RulesetParts): ServiceImpl<typeof RulesetService> {
  const { rulesets, findWarnings, simulate, pageTokens, createId } = parts;
  return {
    async createRuleset(request, context) {
      readIfMatch(context)(undefined);
      const sent = request.videoProtectionRuleset ?? create(VideoProtectionRulesetSchema);
      const ruleset = normalizeRuleset(sent);
      checkRuleset(ruleset);
      ruleset.id = createId();
      // Before the write, so that no failure hides a ruleset whose id the caller has to learn.
      const warnings = await findWarnings(ruleset, getRequest(context.values).now);
      const stored = await rulesets.create(ruleset);
      tagAnswer(context, stored);
      warn(context, warnings);
      return { videoProtectionRuleset: stored.value };
    },

    async getRuleset({ rulesetId }, context) {
      const stored = await rulesets.get(rulesetId);
      tagAnswer(context, stored);
      return { videoProtectionRuleset: stored.value };
    },

    async listRulesets({ projectId, pageSize, pageToken }, { values }) {
      const limit = resolvePageSize(pageSize, MANAGEMENT_PAGE_SIZE);
      const binding = ["ListRulesets", getAccount(values).id, projectId];
      const page = await rulesets.listPage({
        projectId,
        limit,
        ...(pageToken !== "" && { after: String(pageTokens.open(pageToken, binding)[0]) }),
      });
      return {
        videoProtectionRulesets: [...page.rulesets],
        nextPageToken: page.next === undefined ? "" : pageTokens.seal([page.next], binding),
      };
    },

    async updateRuleset(request, context) {
      const demand = readIfMatch(context);
      const mask = checkRulesetMask(request.updateMask?.paths ?? []);
      const update = request.videoProtectionRuleset ?? create(VideoProtectionRulesetSchema);
      const stored = await rulesets.update(request.rulesetId, (current) => {
        demand(current);
        return updateRuleset(current.value, update, mask);
      });
      tagAnswer(context, stored);
      warn(context, await findWarnings(stored.value, getRequest(context.values).now));
      return { videoProtectionRuleset: stored.value };
    },

    async deleteRuleset({ rulesetId }, context) {
      await rulesets.delete(rulesetId, readIfMatch(context));
      return {};
    },

    simulateRulesets(request, context) {
      context.responseHeader.set("cache-control", "private, no-store");
      return simulate(request, getRequest(context.values).now);
    },
  };
}

function warn({ responseHeader }: HandlerContext, warnings: readonly RulesetWarning[]): void {
  const text = printWarnings(warnings);
  if (text !== undefined) responseHeader.set("marquee-warnings", text);
}
