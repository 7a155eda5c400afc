import type { DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
import { AnnotationService as DeliveryAnnotationService } from "../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import { CreativeWorkService } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService as DeliveryAuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { EntitlementService } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { BannerCollectionService } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { PageComponentService as DeliveryPageComponentService } from "../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import { PlaybackService } from "../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { AnnotationService } from "../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { AnnotationTypeService } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { AuthService } from "../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { SignInIntegrationService } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { TransactionService } from "../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { PageComponentService as PageComponentV1Service } from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { readAccessRule } from "../auth/access-rule.ts";
import type { IdentityVerifier } from "../auth/identity-token.ts";
import type { PlaylistUrls } from "../auth/playlist-url.ts";
import type { FindViewer } from "../auth/viewer.ts";
import type { FindCountry } from "../auth/viewer-place.ts";
import type { ViewerTokens } from "../auth/viewer-token.ts";
import type { PageTokens } from "../domain/page-token.ts";
import type { PlaybackLimits } from "../domain/playback-limits.ts";
import type { Store } from "../storage/store.ts";
import { createAnnotationHandlers as createDeliveryAnnotationHandlers } from "./cda/annotation.ts";
import { createAuthHandlers } from "./cda/auth.ts";
import { createBannerCollectionHandlers } from "./cda/banner-collection.ts";
import { createComponentItems } from "./cda/component-items.ts";
import { createContentAnswers } from "./cda/content-answers.ts";
import { createContentLists } from "./cda/content-list.ts";
import { createCreativeWorkHandlers } from "./cda/creative-work.ts";
import { createEntitlementHandlers } from "./cda/entitlement.ts";
import { createEntityHandlers } from "./cda/entity.ts";
import { createEventHandlers } from "./cda/event.ts";
import { createOfferHandlers } from "./cda/offer.ts";
import { createPageHandlers } from "./cda/page.ts";
import { createPageComponentHandlers as createDeliveryPageComponentHandlers } from "./cda/page-component.ts";
import { createPageRenderer } from "./cda/page-renderer.ts";
import { createPlaybackHandlers } from "./cda/playback.ts";
import { createPlaybacks } from "./cda/playback-session.ts";
import { createToResolvedComponent } from "./cda/resolved-components.ts";
import { createFindEntitlement } from "./find-entitlement.ts";
import { createPreparedRulesets } from "./prepared-rulesets.ts";
import { createProtectedVideos } from "./protected-video.ts";
import { createAnnotationHandlers } from "./studio/annotation.ts";
import { createAnnotationTypeHandlers } from "./studio/annotation-type.ts";
import { createPageComponentHandlers } from "./studio/page-component.ts";
import { createPageComponentV1Handlers } from "./studio/page-component-v1.ts";
import { createPermissionHandlers } from "./studio/permission.ts";
import { createRulesetHandlers } from "./studio/ruleset.ts";
import { createSimulate, type LookUpPlace } from "./studio/ruleset-simulation.ts";
import { createFindWarnings } from "./studio/ruleset-warnings.ts";
import { createSignInIntegrationHandlers } from "./studio/sign-in-integration.ts";
import { createTransactionHandlers } from "./studio/transaction.ts";

/** What the handlers stand on. */
export interface HandlerDependencies {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly identities: IdentityVerifier;
  readonly viewerTokens: ViewerTokens;
  readonly findCountry: FindCountry;
  readonly findViewer: FindViewer;
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly playbackLimits: PlaybackLimits;
  readonly createId: () => string;
  /** Tells where a viewer is whom a simulation describes. Default: knows nothing. */
  readonly lookUpPlace?: LookUpPlace;
}

/** The services of the product by interface. */
export interface Services {
  readonly studio: readonly ServiceImplSpec[];
  readonly delivery: readonly ServiceImplSpec[];
}

/** Puts every service together with its handlers; a method without an access option throws. */
export function createServices(dependencies: HandlerDependencies): Services {
  const { store, pageTokens, identities, viewerTokens, findCountry, createId } = dependencies;
  const { lookUpPlace = () => ({}) } = dependencies;
  const preparedRulesets = createPreparedRulesets(store);
  const protectedVideos = createProtectedVideos(store, preparedRulesets);
  const findEntitlement = createFindEntitlement(store.entitlements);
  const { findViewer, playlistUrls, playbackLimits } = dependencies;
  const playbackParts = {
    ...{ protectedVideos, findViewer, findEntitlement, playlistUrls },
    ...{ leases: store.leases, limits: playbackLimits },
  };
  const lists = createContentLists(store, preparedRulesets);
  const content = createContentAnswers(lists, pageTokens, findCountry);
  const { pages, bannerCollections } = store;
  const componentItems = createComponentItems(lists, pageTokens);
  const pageParts = {
    pages,
    renderPage: createPageRenderer({ pages, bannerCollections, contents: lists }),
    toResolvedComponent: createToResolvedComponent(componentItems),
    componentItems,
    pageTokens,
    findCountry,
  };
  return {
    studio: [
      implement(AnnotationService, createAnnotationHandlers(store.annotations)),
      implement(AnnotationTypeService, createAnnotationTypeHandlers(store.annotationTypes)),
      implement(AuthService, createPermissionHandlers(store.access)),
      implement(PageComponentService, createPageComponentHandlers(store.pageComponents)),
      implement(PageComponentV1Service, createPageComponentV1Handlers(store.pageComponents)),
      implement(
        RulesetService,
        createRulesetHandlers({
          rulesets: store.rulesets,
          findWarnings: createFindWarnings(store),
          simulate: createSimulate({ protectedVideos, findEntitlement, lookUpPlace }),
          pageTokens,
          createId,
        }),
      ),
      implement(
        SignInIntegrationService,
        createSignInIntegrationHandlers(store.signInIntegrations),
      ),
      implement(TransactionService, createTransactionHandlers(store.transactions, pageTokens)),
    ],
    delivery: [
      implement(
        DeliveryAnnotationService,
        createDeliveryAnnotationHandlers(store.annotations, pageTokens),
      ),
      implement(
        DeliveryAuthService,
        createAuthHandlers(store.signInIntegrations, identities, viewerTokens),
      ),
      implement(BannerCollectionService, createBannerCollectionHandlers(store.bannerCollections)),
      implement(CreativeWorkService, createCreativeWorkHandlers(content)),
      implement(
        EntitlementService,
        createEntitlementHandlers(store.entitlements, pageTokens, findViewer),
      ),
      implement(EntityService, createEntityHandlers(content)),
      implement(EventService, createEventHandlers(content)),
      implement(OfferService, createOfferHandlers(store.offers, pageTokens)),
      implement(PageService, createPageHandlers(pageParts)),
      implement(
        PlaybackService,
        createPlaybackHandlers(createPlaybacks(playbackParts), playbackLimits, createId),
      ),
      implement(DeliveryPageComponentService, createDeliveryPageComponentHandlers(pageParts)),
    ],
  };
}

function implement<Desc extends DescService>(
  service: Desc,
  implementation: ServiceImpl<Desc>,
): ServiceImplSpec {
  for (const method of service.methods) readAccessRule(method);
  return createServiceImplSpec(service, implementation);
}
