import { ContentOverlay } from "./preview/content-overlay.ts";
import {
  BannerCollectionOverlay,
  OfferOverlay,
  RulesetOverlay,
} from "./preview/document-overlays.ts";
import { PageOverlay } from "./preview/page-overlay.ts";
import { type ReleaseLayers, ReleaseStates } from "./preview/release-states.ts";
import type { DeliveryReads } from "./store.ts";

/** The sources of a {@link ReleaseOverlay}. */
export interface OverlaySources extends Omit<ReleaseLayers, "earlier"> {
  readonly live: DeliveryReads;
  /** The reads through the same releases at another time: what is the same at both is not merged again. */
  readonly earlier?: ReleaseOverlay | undefined;
}

/** The reads of a project through releases. */
export interface ReleaseOverlay extends DeliveryReads {
  readonly releases: ReleaseStates;
}

/**
 * Opens the reads of a project through releases: resources are as if the releases were applied one after the other. Where
 * a draft conflicts with a change on live, the draft wins. Annotations and keys are live.
 */
export function openReleaseOverlay({ live, earlier, ...layers }: OverlaySources): ReleaseOverlay {
  const releases = new ReleaseStates({ ...layers, earlier: earlier?.releases });
  return {
    releases,
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
