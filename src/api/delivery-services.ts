import { AnnotationService } from "../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import { CreativeWorkService } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { EntitlementService } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { BannerCollectionService } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import { PlaybackService } from "../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { IdentityVerifier } from "../auth/identity-token.ts";
import type { PlaylistUrls } from "../auth/playlist-url.ts";
import type { ViewerTokens } from "../auth/viewer-token.ts";
import type { PageTokens } from "../domain/paging.ts";
import type { PlaybackLimits } from "../domain/protection/playback-limits.ts";
import type { Store } from "../storage/store.ts";
import { createAnnotationHandlers } from "./delivery/annotation.ts";
import { createAuthHandlers } from "./delivery/auth.ts";
import { createBannerCollectionHandlers } from "./delivery/banner-collection.ts";
import { createListComponentItems } from "./delivery/component-items.ts";
import {
  createCreativeWorkHandlers,
  createEntityHandlers,
  createEventHandlers,
} from "./delivery/content.ts";
import { createContentLists } from "./delivery/content-list.ts";
import { createEntitlementHandlers } from "./delivery/entitlement.ts";
import type { FindViewer } from "./delivery/find-viewer.ts";
import { createOfferHandlers } from "./delivery/offer.ts";
import { createFindOpeningOffers } from "./delivery/opening-offers.ts";
import { createPageHandlers } from "./delivery/page.ts";
import { createPageComponentHandlers } from "./delivery/page-component.ts";
import { createPageConfiguration } from "./delivery/page-configuration.ts";
import { createPageRenderer } from "./delivery/page-renderer.ts";
import { createPlaybackHandlers } from "./delivery/playback.ts";
import { createPlaybacks } from "./delivery/playback-session.ts";
import type { PreparedRulesetsSource } from "./delivery/prepared-rulesets.ts";
import type { ProtectedVideos } from "./delivery/protected-video.ts";
import type { FindCountry } from "./delivery/viewer-place.ts";
import type { DeliveryCall } from "./steps/delivery-call.ts";
import { implement, type Service } from "./steps/service.ts";

/** The dependencies of the delivery handlers. */
export interface DeliveryParts {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly identities: IdentityVerifier;
  readonly viewerTokens: ViewerTokens;
  readonly findCountry: FindCountry;
  readonly findViewer: FindViewer;
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly playbackLimits: PlaybackLimits;
  readonly createId: () => string;
  readonly preparedRulesets: PreparedRulesetsSource;
  readonly protectedVideos: ProtectedVideos;
}

/** Combines every service of the delivery interface with its handlers. */
export function createDeliveryServices(parts: DeliveryParts): Service<DeliveryCall>[] {
  const { store, pageTokens, identities, viewerTokens, findCountry, findViewer, createId } = parts;
  const { playlistUrls, playbackLimits, preparedRulesets, protectedVideos } = parts;
  const { entitlements, leases, delivery: reads = store } = store;
  const playbackParts = {
    ...{ protectedVideos, findViewer, entitlements, leases, playlistUrls, limits: playbackLimits },
    findOpeningOffers: createFindOpeningOffers(store),
  };
  const contents = createContentLists({ reads, preparedRulesets, pageTokens, findCountry });
  const configuration = createPageConfiguration(reads, store);
  const listComponentItems = createListComponentItems(contents, pageTokens);
  const renderer = createPageRenderer({ configuration, contents, listComponentItems });
  const pages = { ...configuration.pages, list: reads.pages.list };
  const pageParts = { pages, renderer, listComponentItems, pageTokens, findCountry };
  return [
    implement(AnnotationService, createAnnotationHandlers(reads.annotations, pageTokens)),
    implement(AuthService, createAuthHandlers(store.signInIntegrations, identities, viewerTokens)),
    implement(BannerCollectionService, createBannerCollectionHandlers(reads.bannerCollections)),
    implement(CreativeWorkService, createCreativeWorkHandlers(contents)),
    implement(
      EntitlementService,
      createEntitlementHandlers(store.entitlements, pageTokens, findViewer),
    ),
    implement(EntityService, createEntityHandlers(contents)),
    implement(EventService, createEventHandlers(contents)),
    implement(OfferService, createOfferHandlers(reads.offers, pageTokens)),
    implement(PageService, createPageHandlers(pageParts)),
    implement(
      PlaybackService,
      createPlaybackHandlers(createPlaybacks(playbackParts), playbackLimits, createId),
    ),
    implement(PageComponentService, createPageComponentHandlers(pageParts)),
  ];
}
