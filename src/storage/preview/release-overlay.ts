import type { DeliveryReads } from "../contract/store.ts";
import { ContentOverlay } from "./content-overlay.ts";
import { BannerCollectionOverlay, OfferOverlay, RulesetOverlay } from "./document-overlays.ts";
import { PageOverlay } from "./page-overlay.ts";
import { type ReleaseLayers, ReleaseStates } from "./release-states.ts";

export { DraftMemory } from "./draft-memory.ts";

/** The sources of the reads of a project through releases. */
export interface OverlaySources extends ReleaseLayers {
  readonly live: DeliveryReads;
}

/**
 * Opens the reads of a project through releases for one call: resources are as if the releases were applied one after
 * the other. Where a draft conflicts with a change on live, the draft wins. Annotations and keys are live.
 */
export function openReleaseOverlay({ live, ...layers }: OverlaySources): DeliveryReads {
  const releases = new ReleaseStates(layers);
  return {
    access: live.access,
    annotations: live.annotations,
    bannerCollections: new BannerCollectionOverlay(live.bannerCollections, releases),
    creativeWorks: new ContentOverlay("creative_work", live.creativeWorks, releases),
    entities: new ContentOverlay("entity", live.entities, releases),
    events: new ContentOverlay("event", live.events, releases),
    offers: new OfferOverlay(live.offers, releases),
    pages: new PageOverlay(live.pages, releases),
    rulesets: new RulesetOverlay(live.rulesets, releases),
  };
}
