import { type PreparedRulesets, prepareRulesets } from "../domain/protection/index.ts";
import type { RulesetStore, Store } from "../storage/store.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** How many projects' rulesets are kept ready. */
const MOST_PROJECTS = 1_000;

/** The rulesets of projects, ready to be asked. */
export interface PreparedRulesetsSource {
  /** Finds those of a project as they are now; NOT_FOUND without such a project. */
  find(projectId: string): Promise<PreparedRulesets>;
}

/** Creates the source; the rulesets of a project are read anew when it has changed. */
export function createPreparedRulesets(
  store: Pick<Store, "knownRevision"> & { readonly rulesets: Pick<RulesetStore, "list"> },
): PreparedRulesetsSource {
  const memo = createRevisionMemo<PreparedRulesets>(store, MOST_PROJECTS);
  return {
    find: (projectId) =>
      memo.find(projectId, "", async () => prepareRulesets(await store.rulesets.list(projectId))),
  };
}
