import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import { lintRuleset } from "../../domain/protection/lint.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";
import { matchesSomething, type WarningSearch } from "./written-warnings.ts";

/** Creates the Studio API service of video protection rulesets (contract: rulesets 13). */
export function createRulesetService(dependencies: StudioDependencies): StudioService {
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

/** The stores that warnings are derived from. */
type WarningStores = Pick<Store, "creativeWorks" | "events"> & {
  readonly rulesets: Pick<Store["rulesets"], "list">;
};

/** Finds probable mistakes in a valid ruleset, in the context of its project. */
async function findWarnings(
  store: WarningStores,
  ruleset: VideoProtectionRuleset,
  search: WarningSearch,
): Promise<readonly Warning[]> {
  const rulesets = await store.rulesets.list(ruleset.projectId);
  const warnings = lintRuleset(ruleset, rulesets);
  if (!(await matchesNothing(store, ruleset, search))) return warnings;
  const message = "the filter currently matches no event and no creative work";
  return [...warnings, { code: "FILTER_MATCHES_NOTHING", message }];
}

async function matchesNothing(
  { events, creativeWorks }: WarningStores,
  { projectId, applicability }: VideoProtectionRuleset,
  search: WarningSearch,
): Promise<boolean> {
  if (applicability.case !== "filter") return false;
  const { filterEvents, filterCreativeWorks } = applicability.value;
  const filters = [
    { contents: events, filter: filterEvents },
    { contents: creativeWorks, filter: filterCreativeWorks },
  ].filter(({ filter }) => filter.trim() !== "");
  for (const { contents, filter } of filters) {
    const node = parseStoredKql(filter);
    if (await matchesSomething(contents, projectId, node, search)) return false;
  }
  return filters.length > 0;
}
