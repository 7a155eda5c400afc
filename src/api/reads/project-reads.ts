import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import { type PreparedRulesets, prepareRulesets } from "../../domain/protection/prepare.ts";
import type { ContentStore } from "../../storage/contract/content-store.ts";
import type { DeliveryReads, Store } from "../../storage/contract/store.ts";
import { PageConfiguration } from "./page-configuration.ts";
import { estimateHeap, RevisionMemo } from "./revision-memo.ts";

/**
 * The reads of the Delivery API: stores, and what is prepared from them once for each revision of a project. The current
 * version has one, and so has each preview.
 */
export class ProjectReads {
  readonly stores: DeliveryReads;
  /** The stores of content, by kind. */
  readonly contents: { readonly [Kind in ContentKind]: ContentStore };
  readonly pages: PageConfiguration;
  readonly rulesets: ProjectRulesets;

  constructor(stores: DeliveryReads, store: Pick<Store, "knownRevision">) {
    const { creativeWorks, entities, events } = stores;
    this.stores = stores;
    this.contents = { event: events, creative_work: creativeWorks, entity: entities };
    this.pages = new PageConfiguration(stores, store);
    this.rulesets = new ProjectRulesets(stores.rulesets, store);
  }
}

/** The bytes of the heap that cached rulesets take. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The bytes that prepared rulesets take at most, for each that is estimated, as measured. */
const PREPARED = 0.75;

/** The rulesets of projects, prepared for decisions and read again after the project has changed. */
export class ProjectRulesets {
  readonly #rulesets: Pick<Store["rulesets"], "list">;
  readonly #memo: RevisionMemo<PreparedRulesets>;

  constructor(rulesets: Pick<Store["rulesets"], "list">, store: Pick<Store, "knownRevision">) {
    this.#rulesets = rulesets;
    const sizeOf = (it: PreparedRulesets) =>
      Math.ceil(PREPARED * estimateHeap(it, MOST_BYTES / PREPARED));
    this.#memo = new RevisionMemo(store, MOST_BYTES, sizeOf);
  }

  /** Finds the current rulesets of a project; NOT_FOUND if the project does not exist. */
  find(projectId: string, budget: WorkBudget): Promise<PreparedRulesets> {
    return this.#memo.find(projectId, "", async () =>
      budget.run(prepareRulesets(await this.#rulesets.list(projectId))),
    );
  }
}
