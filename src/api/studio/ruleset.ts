import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import { lintRuleset } from "../../domain/protection/lint.ts";
import { mayReadKinds } from "../steps/read-access.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";
import { matchesSomething } from "./written-warnings.ts";

/** Creates the Studio API service of video protection rulesets (contract: rulesets 13). */
export function createRulesetService(dependencies: StudioDependencies): StudioService {
  const rulesets = new Resource("ruleset", dependencies);
  const warn = async (call: StudioCall, ruleset: VideoProtectionRuleset) =>
    call.warn(...(await findWarnings(call, ruleset)));
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

/** Finds probable mistakes in a valid ruleset, in the context that the caller may read of its project. */
async function findWarnings(
  call: StudioCall,
  ruleset: VideoProtectionRuleset,
): Promise<readonly Warning[]> {
  const { projectId } = ruleset;
  const mayRead = mayReadKinds(call, projectId, ["ruleset"]);
  const warnings = lintRuleset(ruleset, mayRead ? await call.store.rulesets.list(projectId) : []);
  if (!(await matchesNothing(call, ruleset))) return warnings;
  const message = "the filter currently matches no event and no creative work";
  return [...warnings, { code: "FILTER_MATCHES_NOTHING", message }];
}

async function matchesNothing(
  call: StudioCall,
  { projectId, applicability }: VideoProtectionRuleset,
): Promise<boolean> {
  if (applicability.case !== "filter") return false;
  const { events, creativeWorks } = call.store;
  const { filterEvents, filterCreativeWorks } = applicability.value;
  const filters = [
    { kind: "event", contents: events, filter: filterEvents } as const,
    { kind: "creative_work", contents: creativeWorks, filter: filterCreativeWorks } as const,
  ].filter(({ filter }) => filter.trim() !== "");
  const kinds = filters.map(({ kind }) => kind);
  if (!mayReadKinds(call, projectId, kinds)) return false;
  for (const { contents, filter } of filters) {
    const node = parseStoredKql(filter);
    if (await matchesSomething(contents, projectId, node, call)) return false;
  }
  return filters.length > 0;
}
