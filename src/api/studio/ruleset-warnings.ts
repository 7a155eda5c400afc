import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import { lintRuleset, type RulesetWarning } from "../../domain/protection/index.ts";
import type { Store } from "../../storage/contract/store.ts";
import { matchesSomething, type WarningSearch } from "./written-warnings.ts";

/** The stores that warnings are derived from. */
export type WarningStores = Pick<Store, "creativeWorks" | "events"> & {
  readonly rulesets: Pick<Store["rulesets"], "list">;
};

/** Finds probable mistakes in a valid ruleset, in the context of its project. */
export async function findWarnings(
  store: WarningStores,
  ruleset: VideoProtectionRuleset,
  search: WarningSearch,
): Promise<readonly RulesetWarning[]> {
  const rulesets = await store.rulesets.list(ruleset.projectId);
  const filterMatchesNothing = await matchesNothing(store, ruleset, search);
  return lintRuleset(ruleset, rulesets, { filterMatchesNothing });
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
