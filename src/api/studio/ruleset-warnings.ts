import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ALL_VISIBILITIES } from "../../domain/content/visibility.ts";
import { parseStoredKql } from "../../domain/kql/index.ts";
import { lintRuleset, type RulesetWarning } from "../../domain/protection/index.ts";
import type { ContentPlace, ContentStore } from "../../storage/contract/content-store.ts";
import type { Store } from "../../storage/contract/store.ts";

/** The stores that warnings are derived from. */
export type WarningStores = Pick<Store, "creativeWorks" | "events"> & {
  readonly rulesets: Pick<Store["rulesets"], "list">;
};

/** The time and budget of a search for warnings. */
export interface WarningSearch {
  readonly now: Date;
  /** If it is exhausted before a match is found, a filter counts as matching. */
  readonly budget: WorkBudget;
}

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
    if (await matchesSomething(contents, projectId, filter, search)) return false;
  }
  return filters.length > 0;
}

async function matchesSomething(
  contents: Pick<ContentStore, "list">,
  projectId: string,
  filter: string,
  search: WarningSearch,
): Promise<boolean> {
  let after: ContentPlace | undefined;
  do {
    const { entries, next } = await contents.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      filter: parseStoredKql(filter),
      words: [],
      order: { field: "id", direction: "asc" },
      limit: 1,
      ...search,
      ...(after && { after }),
    });
    if (entries.length > 0) return true;
    if (next === undefined) return false;
    after = next;
  } while (!search.budget.isSpent);
  return true;
}
