import { ContentOverlay } from "./preview/content-overlay.ts";
import {
  BannerCollectionOverlay,
  OfferOverlay,
  RulesetOverlay,
} from "./preview/document-overlays.ts";
import { PageOverlay } from "./preview/page-overlay.ts";
import { ReleaseStates } from "./preview/release-states.ts";
import type { ReleaseDraft } from "./sql/release-items.ts";
import type { DeliveryReads, OrganizationStore } from "./store.ts";

/** The sources of {@link openReleaseOverlay}. */
export interface OverlaySources {
  readonly live: DeliveryReads;
  readonly organization: Pick<OrganizationStore, "documents" | "pageComponents">;
  readonly projectId: string;
  /** The drafts of each release, in the order of applying. */
  readonly layers: readonly (readonly ReleaseDraft[])[];
}

/**
 * Opens the reads of a project through releases: resources are as if the releases were applied one after the other. Where
 * a draft conflicts with a change on live, the draft wins. Annotations and keys are live.
 */
export function openReleaseOverlay({
  live,
  organization,
  projectId,
  layers,
}: OverlaySources): DeliveryReads {
  const releases = new ReleaseStates(organization, projectId, layers);
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
