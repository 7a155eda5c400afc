import type { DeliveryReads } from "../contract/store.ts";
import { ContentOverlay } from "./content-overlay.ts";
import { DocumentOverlay } from "./document-overlay.ts";
import { PageOverlay } from "./page-overlay.ts";
import { type ReleaseLayers, ReleaseStates } from "./release-states.ts";
import { RulesetOverlay } from "./ruleset-overlay.ts";

export { DraftMemory } from "./draft-memory.ts";

/** The sources of the reads of a project through releases. */
export interface OverlaySources extends ReleaseLayers {
  readonly live: DeliveryReads;
}

/**
 * Opens the reads of a project through releases for one call: resources are as if the releases were applied one after
 * the other. Where a draft conflicts with a change on live, the draft wins. Annotations, keys and offers that open a video
 * are live.
 */
export function openReleaseOverlay({ live, ...layers }: OverlaySources): DeliveryReads {
  const releases = new ReleaseStates(layers);
  return {
    access: live.access,
    annotations: live.annotations,
    creativeWorks: new ContentOverlay("creative_work", live.creativeWorks, releases),
    entities: new ContentOverlay("entity", live.entities, releases),
    events: new ContentOverlay("event", live.events, releases),
    offers: live.offers,
    pages: new PageOverlay(live.pages, releases),
    rulesets: new RulesetOverlay(live.rulesets, releases),
    visibleDocuments: new DocumentOverlay(live.visibleDocuments, releases),
  };
}
