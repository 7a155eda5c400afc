import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { parseKql } from "../../domain/kql/index.ts";
import { lintRuleset, type RulesetWarning } from "../../domain/protection/index.ts";
import { ALL_VISIBILITIES } from "../../domain/visibility.ts";
import type { ContentPlace, ContentStore } from "../../storage/delivery-store.ts";
import type { RulesetStore, Store } from "../../storage/store.ts";

/** What warnings are found in. */
export type WarningStores = Pick<Store, "creativeWorks" | "events"> & {
  readonly rulesets: Pick<RulesetStore, "list">;
};

/** How many pages are read of a list that ends early before a filter counts as matching. */
const MOST_PAGES = 20;

/** Finds what looks wrong with a ruleset that was checked, among all of its project, at `now`. */
export async function findWarnings(
  store: WarningStores,
  ruleset: VideoProtectionRuleset,
  now: Date,
): Promise<readonly RulesetWarning[]> {
  const rulesets = await store.rulesets.list(ruleset.projectId);
  const filterMatchesNothing = await matchesNothing(store, ruleset, now);
  return lintRuleset(ruleset, rulesets, { filterMatchesNothing });
}

/**
 * Writes warnings as the value of the header `Marquee-Warnings`: a JSON array in ASCII. Undefined
 * without warnings.
 */
export function printWarnings(warnings: readonly RulesetWarning[]): string | undefined {
  if (warnings.length === 0) return undefined;
  const json = JSON.stringify(warnings.map(({ code, message }) => ({ code, message })));
  return json.replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function matchesNothing(
  { events, creativeWorks }: WarningStores,
  { projectId, applicability }: VideoProtectionRuleset,
  now: Date,
): Promise<boolean> {
  if (applicability.case !== "filter") return false;
  const { filterEvents, filterCreativeWorks } = applicability.value;
  const filters = [
    { contents: events, filter: filterEvents },
    { contents: creativeWorks, filter: filterCreativeWorks },
  ].filter(({ filter }) => filter.trim() !== "");
  for (const { contents, filter } of filters) {
    if (await matchesSomething(contents, projectId, filter, now)) return false;
  }
  return filters.length > 0;
}

async function matchesSomething(
  contents: Pick<ContentStore<unknown>, "list">,
  projectId: string,
  filter: string,
  now: Date,
): Promise<boolean> {
  let after: ContentPlace | undefined;
  for (let read = 0; read < MOST_PAGES; read += 1) {
    const { entries, next } = await contents.list({
      projectId,
      visibilities: ALL_VISIBILITIES,
      filter: parseKql(filter),
      words: [],
      order: { field: "id", direction: "asc" },
      limit: 1,
      now,
      ...(after && { after }),
    });
    if (entries.length > 0) return true;
    if (next === undefined) return false;
    after = next;
  }
  return true;
}
