import { type PreparedRulesets, prepareRulesets } from "../../domain/protection/index.ts";
import type { RulesetStore, Store } from "../../storage/store.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** The number of projects whose rulesets are cached. */
const MOST_PROJECTS = 1_000;

/** Finds the rulesets of projects, prepared for decisions. */
export interface PreparedRulesetsSource {
  /** Finds the current rulesets of a project; NOT_FOUND if there is no such project. */
  find(projectId: string): Promise<PreparedRulesets>;
}

/** Creates the source, which reads the rulesets of a project again after it has changed. */
export function createPreparedRulesets(
  store: Pick<Store, "knownRevision"> & { readonly rulesets: Pick<RulesetStore, "list"> },
): PreparedRulesetsSource {
  const memo = createRevisionMemo<PreparedRulesets>(store, MOST_PROJECTS);
  return {
    find: (projectId) =>
      memo.find(projectId, "", async () => prepareRulesets(await store.rulesets.list(projectId))),
  };
}
