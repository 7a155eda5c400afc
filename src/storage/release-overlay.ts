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

/** The sources of a {@link ReleaseOverlay}. */
export interface OverlaySources {
  readonly live: DeliveryReads;
  readonly organization: Pick<OrganizationStore, "documents" | "pageComponents">;
  readonly projectId: string;
  /** The drafts of each release, in the order of applying. */
  readonly layers: readonly (readonly ReleaseDraft[])[];
}

/**
 * The reads of a project through releases: resources are as if the releases were applied one after the other. Where a
 * draft conflicts with a change on live, the draft wins. Annotations and keys are live.
 */
export class ReleaseOverlay implements DeliveryReads {
  readonly access: DeliveryReads["access"];
  readonly annotations: DeliveryReads["annotations"];
  readonly bannerCollections: DeliveryReads["bannerCollections"];
  readonly creativeWorks: DeliveryReads["creativeWorks"];
  readonly entities: DeliveryReads["entities"];
  readonly events: DeliveryReads["events"];
  readonly offers: DeliveryReads["offers"];
  readonly pages: DeliveryReads["pages"];
  readonly rulesets: DeliveryReads["rulesets"];

  constructor({ live, organization, projectId, layers }: OverlaySources) {
    const releases = new ReleaseStates(organization, projectId, layers);
    this.access = live.access;
    this.annotations = live.annotations;
    this.bannerCollections = new BannerCollectionOverlay(live.bannerCollections, releases);
    this.creativeWorks = new ContentOverlay("creative_work", live.creativeWorks, releases);
    this.entities = new ContentOverlay("entity", live.entities, releases);
    this.events = new ContentOverlay("event", live.events, releases);
    this.offers = new OfferOverlay(live.offers, releases);
    this.pages = new PageOverlay(live.pages, releases);
    this.rulesets = new RulesetOverlay(live.rulesets, releases);
  }
}
