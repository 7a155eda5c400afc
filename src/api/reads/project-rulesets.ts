import { type PreparedRulesets, prepareRulesets } from "../../domain/protection/index.ts";
import type { Store } from "../../storage/contract/store.ts";
import { RevisionMemo } from "./revision-memo.ts";

/** The number of projects whose rulesets are cached. */
const MOST_PROJECTS = 1_000;

/** The rulesets of projects, prepared for decisions and read again after the project has changed. */
export class ProjectRulesets {
  readonly #rulesets: Pick<Store["rulesets"], "list">;
  readonly #memo: RevisionMemo<PreparedRulesets>;

  constructor(rulesets: Pick<Store["rulesets"], "list">, store: Pick<Store, "knownRevision">) {
    this.#rulesets = rulesets;
    this.#memo = new RevisionMemo(store, MOST_PROJECTS);
  }

  /** Finds the current rulesets of a project; NOT_FOUND if the project does not exist. */
  find(projectId: string): Promise<PreparedRulesets> {
    return this.#memo.find(projectId, "", async () =>
      prepareRulesets(await this.#rulesets.list(projectId)),
    );
  }
}
