import { estimateHeap } from "../../domain/base/heap-size.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { type PreparedRulesets, prepareRulesets } from "../../domain/protection/index.ts";
import type { Store } from "../../storage/contract/store.ts";
import { RevisionMemo } from "./revision-memo.ts";

/** The bytes of the heap that cached rulesets take: twice the bytes of their messages. */
const MOST_BYTES = 64 * 1024 * 1024;
const PREPARED = 2;

/** The rulesets of projects, prepared for decisions and read again after the project has changed. */
export class ProjectRulesets {
  readonly #rulesets: Pick<Store["rulesets"], "list">;
  readonly #memo: RevisionMemo<PreparedRulesets>;

  constructor(rulesets: Pick<Store["rulesets"], "list">, store: Pick<Store, "knownRevision">) {
    this.#rulesets = rulesets;
    const sizeOf = (it: PreparedRulesets) => PREPARED * estimateHeap(it, MOST_BYTES / PREPARED);
    this.#memo = new RevisionMemo(store, MOST_BYTES, sizeOf);
  }

  /** Finds the current rulesets of a project; NOT_FOUND if the project does not exist. */
  find(projectId: string, budget: WorkBudget): Promise<PreparedRulesets> {
    return this.#memo.find(projectId, "", async () =>
      budget.run(prepareRulesets(await this.#rulesets.list(projectId))),
    );
  }
}
