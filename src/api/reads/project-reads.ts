import type { ContentKind } from "../../domain/content/order.ts";
import type { ContentStore } from "../../storage/contract/content-store.ts";
import type { DeliveryReads, Store } from "../../storage/contract/store.ts";
import { PageConfiguration } from "./page-configuration.ts";
import { ProjectRulesets } from "./project-rulesets.ts";

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
