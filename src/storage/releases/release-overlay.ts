import type { DeliveryReads } from "../contract/store.ts";
import { ContentOverlay } from "./content-overlay.ts";
import { DocumentOverlay, RulesetOverlay } from "./document-overlay.ts";
import { PageOverlay } from "./page-overlay.ts";
import { type ReleaseLayers, ReleaseStates } from "./release-states.ts";

export { DraftMemory } from "./draft-memory.ts";

/** The sources of the reads of a project through releases. */
export interface OverlaySources extends ReleaseLayers {
  readonly current: DeliveryReads;
}

/**
 * Opens the reads of a project through releases for one call: resources are as if the releases were applied one after
 * the other. Where a draft conflicts with a change of the current version, the draft wins. Annotations, keys and offers
 * that open a video are current.
 */
export function openReleaseOverlay({ current, ...layers }: OverlaySources): DeliveryReads {
  const releases = new ReleaseStates(layers);
  return {
    access: current.access,
    annotations: current.annotations,
    creativeWorks: new ContentOverlay("creative_work", current.creativeWorks, releases),
    entities: new ContentOverlay("entity", current.entities, releases),
    events: new ContentOverlay("event", current.events, releases),
    offers: current.offers,
    pages: new PageOverlay(current.pages, releases),
    rulesets: new RulesetOverlay(current.rulesets, releases),
    visibleDocuments: new DocumentOverlay(current.visibleDocuments, releases),
  };
}
