// Generated from proto/ by tools/client-services.ts.

import type { CallOptions, Transport } from "@connectrpc/connect";
import type { AuthorizePlaybackRequest } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { AuthorizePlaybackResponse } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { ExchangeTokenRequest } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import type { ExchangeTokenResponse } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import type { GetBannerCollectionRequest } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { GetBannerCollectionResponse } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { GetCreativeWorkRequest } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { GetCreativeWorkResponse } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { GetEntityRequest } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { GetEntityResponse } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { GetEventRequest } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { GetEventResponse } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { GetPageComponentRequest } from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import type { GetPageComponentResponse } from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import type { GetPageRequest } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import type { GetPageResponse } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import type { KeepPlaybackRequest } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { KeepPlaybackResponse } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { ListAnnotationsRequest } from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import type { ListAnnotationsResponse } from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import type { ListCreativeWorksRequest } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ListCreativeWorksResponse } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ListEntitiesRequest } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { ListEntitiesResponse } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import type { ListEntitlementsRequest } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { ListEntitlementsResponse } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { ListEventsRequest } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { ListEventsResponse } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import type { ListOffersRequest } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import type { ListOffersResponse } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import type { ListPageComponentItemsRequest } from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import type { ListPageComponentItemsResponse } from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import type { ListPagesRequest } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import type { ListPagesResponse } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import type { StopPlaybackRequest } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import type { StopPlaybackResponse } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { AnnotationService } from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
import { CreativeWorkService } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService } from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
import { EntitlementService } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { BannerCollectionService } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
import { PlaybackService } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { createClient } from "./client.ts";
import type { Input } from "./input.ts";

/**
 * Delivers annotations: the moments of videos and events, such as goals.
 */
export interface AnnotationClient {
  /**
   * Lists the published annotations of a video, an event, or a video within an event. A preview key sees
   * annotations of every visibility.
   *
   * The order is by offset (annotations without one last), then by `order` and id.
   *
   * Errors by reason:
   * - ANNOTATION_PARENT_REQUIRED: `video_id` and `event_id` are both empty.
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   */
  listAnnotations(request: Input<ListAnnotationsRequest>, options?: CallOptions): Promise<ListAnnotationsResponse>;
}

/**
 * Delivers creative works, such as films, episodes and highlights.
 */
export interface CreativeWorkClient {
  /**
   * Lists the published creative works of the project that match a filter and a search, in the requested order.
   * A preview key sees creative works of every visibility.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   * - FACET_INVALID: `facets` has more than 5 fields, one of them twice, or one that is not a path of a field.
   * - SEARCH_INVALID: `search` has more than 256 characters or 16 words.
   */
  listCreativeWorks(request: Input<ListCreativeWorksRequest>, options?: CallOptions): Promise<ListCreativeWorksResponse>;

  /**
   * Gets a creative work of the project that is published or unlisted. A preview key gets creative works of
   * every visibility.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the creative work does not exist, or the key may not see it.
   */
  getCreativeWork(request: Input<GetCreativeWorkRequest>, options?: CallOptions): Promise<GetCreativeWorkResponse>;
}

/**
 * Delivers entities, such as teams, players and series.
 */
export interface EntityClient {
  /**
   * Lists the published entities of the project that match a filter and a search, in the requested order. A
   * preview key sees entities of every visibility.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   * - FACET_INVALID: `facets` has more than 5 fields, one of them twice, or one that is not a path of a field.
   * - SEARCH_INVALID: `search` has more than 256 characters or 16 words.
   */
  listEntities(request: Input<ListEntitiesRequest>, options?: CallOptions): Promise<ListEntitiesResponse>;

  /**
   * Gets an entity of the project that is published or unlisted. A preview key gets entities of every
   * visibility.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the entity does not exist, or the key may not see it.
   */
  getEntity(request: Input<GetEntityRequest>, options?: CallOptions): Promise<GetEntityResponse>;
}

/**
 * Delivers events, such as matches and live shows.
 */
export interface EventClient {
  /**
   * Lists the published events of the project that match a filter and a search, in the requested order. A
   * preview key sees events of every visibility.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   * - FACET_INVALID: `facets` has more than 5 fields, one of them twice, or one that is not a path of a field.
   * - SEARCH_INVALID: `search` has more than 256 characters or 16 words.
   */
  listEvents(request: Input<ListEventsRequest>, options?: CallOptions): Promise<ListEventsResponse>;

  /**
   * Gets an event of the project that is published or unlisted. A preview key gets events of every visibility.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the event does not exist, or the key may not see it.
   */
  getEvent(request: Input<GetEventRequest>, options?: CallOptions): Promise<GetEventResponse>;
}

/**
 * Signs viewers in: exchanges the token of your identity provider for a viewer token.
 */
export interface AuthClient {
  /**
   * Exchanges an identity token of an identity provider for a viewer token of Marquee.
   *
   * Every error but ISSUER_UNREACHABLE (UNAVAILABLE) is UNAUTHENTICATED.
   *
   * Errors by reason:
   * - TOKEN_MALFORMED: the identity token is not a JWT, or lacks a claim.
   * - ISSUER_UNKNOWN: its issuer is not configured.
   * - SIGNATURE_INVALID: its signature is invalid.
   * - AUDIENCE_NOT_ALLOWED: its audience is not one of the project.
   * - TOKEN_EXPIRED: it has expired, or is not valid yet.
   * - ISSUER_UNREACHABLE: the keys of its issuer cannot be fetched now; retry.
   */
  exchangeToken(request: Input<ExchangeTokenRequest>, options?: CallOptions): Promise<ExchangeTokenResponse>;
}

/**
 * Delivers the entitlements of the viewer: the videos that the viewer may play.
 */
export interface EntitlementClient {
  /**
   * Lists the entitlements of the viewer that are in force now, newest first; ties are ordered by id. Requires a
   * viewer token.
   *
   * Errors by reason:
   * - AUTHENTICATION_REQUIRED: the request has no viewer token.
   * - TOKEN_EXPIRED: the viewer token has expired.
   * - TOKEN_MALFORMED: the viewer token is not a JWT, or lacks a claim.
   * - SIGNATURE_INVALID: the viewer token has an invalid signature.
   * - ISSUER_UNKNOWN: the viewer token has another issuer.
   * - AUDIENCE_NOT_ALLOWED: the viewer token is for another project.
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from this list.
   */
  listEntitlements(request: Input<ListEntitlementsRequest>, options?: CallOptions): Promise<ListEntitlementsResponse>;
}

/**
 * Delivers offers with their prices.
 */
export interface OfferClient {
  /**
   * Lists the published offers of the project by position; ties are ordered by id. With `ids`, lists the offers
   * among these that are published or unlisted. A preview key sees offers of every visibility.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   */
  listOffers(request: Input<ListOffersRequest>, options?: CallOptions): Promise<ListOffersResponse>;
}

/**
 * Delivers banner collections: large images that a page shows in turn.
 */
export interface BannerCollectionClient {
  /**
   * Gets a banner collection of the project that is published or unlisted. A preview key gets collections of
   * every visibility.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the banner collection does not exist, or the key may not see it.
   */
  getBannerCollection(request: Input<GetBannerCollectionRequest>, options?: CallOptions): Promise<GetBannerCollectionResponse>;
}

/**
 * Delivers pages with everything needed to render them.
 */
export interface PageClient {
  /**
   * Gets a page with everything needed to render it: the object that the page is about, and its components in
   * order with variables replaced.
   *
   * A public key gets published and unlisted pages with their published components. A preview key gets pages and
   * components of every visibility. A component that cannot be resolved is omitted and listed in `dropped`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the page does not exist, or the key may not see it; or the same of the object that the
   *   parameter `id` names.
   * - PAGE_KEY_INVALID: `id` and `slug` are both set, or both empty.
   * - ENVIRONMENT_UNKNOWN: `environment` is not a platform.
   * - PAGE_SIZE_INVALID: `items_page_size` is negative.
   */
  getPage(request: Input<GetPageRequest>, options?: CallOptions): Promise<GetPageResponse>;

  /**
   * Lists the published pages of the project by slug. A preview key sees pages of every visibility.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   */
  listPages(request: Input<ListPagesRequest>, options?: CallOptions): Promise<ListPagesResponse>;
}

/**
 * Delivers single page components and their items.
 */
export interface PageComponentClient {
  /**
   * Gets one component with its variables replaced.
   *
   * The component and its page must be published or unlisted. A preview key gets components of every visibility.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the component does not exist, or the key may not see it; or the same of the object
   *   that the parameter `id` names.
   * - ENVIRONMENT_UNKNOWN: `environment` is not a platform.
   * - PAGE_SIZE_INVALID: `items_page_size` is negative.
   * - COMPONENT_DROPPED: a variable or reference of the component cannot be resolved. Metadata: `field`,
   *   `variable`, `reason`.
   */
  getPageComponent(request: Input<GetPageComponentRequest>, options?: CallOptions): Promise<GetPageComponentResponse>;

  /**
   * Lists the items of a rail, calendar or grid: first the pinned items, then the items that match its filter
   * and search, in its order.
   *
   * A calendar is ordered by start time and can be restricted to one day.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the component does not exist, or the key may not see it; or the same of the object
   *   that the parameter `id` names.
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from this list.
   * - DAY_INVALID: `day` is not a date, or the component is not a calendar.
   * - TIME_ZONE_UNKNOWN: `time_zone` is not an IANA name.
   * - COMPONENT_WITHOUT_ITEMS: the component is not a rail, calendar or grid.
   * - COMPONENT_DROPPED: a variable or reference of the component cannot be resolved. Metadata: `field`,
   *   `variable`, `reason`.
   */
  listPageComponentItems(request: Input<ListPageComponentItemsRequest>, options?: CallOptions): Promise<ListPageComponentItemsResponse>;
}

/**
 * Decides whether a viewer may play a video, and tracks the streams of viewers.
 *
 * The viewer token of ExchangeToken identifies the viewer. Send it in `Authorization` instead of the public key,
 * because it implies the project, or in the cookie `viewer_token` together with the public key. An invalid token
 * in the cookie is ignored; responses and errors name the reason. The metadata of every denial by a ruleset has
 * the `ruleset_id` and the `rule` that denied.
 */
export interface PlaybackClient {
  /**
   * Decides whether the viewer may play a video now, and returns a signed playlist URL.
   *
   * If the ruleset limits concurrent streams, the call acquires one. A session key never acquires a second
   * stream. The metadata of an error has `ignored_viewer_token_reason` if the token in the cookie was ignored,
   * unless that is the reason itself.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project does not have the video.
   * - SESSION_KEY_INVALID: `session_key` has other characters, or more than 128.
   * - GEO_NOT_ALLOWED: the video does not play in the viewer's country.
   * - VPN_NOT_ALLOWED: the video does not play over a VPN.
   * - DOMAIN_NOT_ALLOWED: the video does not play on this site.
   * - AUTHENTICATION_REQUIRED: the video requires a viewer token, and the request has none.
   * - ENTITLEMENT_REQUIRED: the viewer has no entitlement to the video. Metadata `offer_ids`: at most 20 offers
   *   that would open it, in the order of ListOffers.
   * - CONCURRENCY_LIMIT_REACHED: all streams of the viewer are in use. Metadata `session_keys`: the sessions
   *   that use them. `Retry-After`: seconds until one expires, unless it is kept alive.
   * - PLAYLIST_URL_INVALID (FAILED_PRECONDITION): the video has no playlist URL that can be signed.
   * - VIDEO_NOT_AVAILABLE: the video is outside of its window. The metadata has `available_time` or `end_time`.
   * - PROTECTION_UNDECIDED: too many events or creative works show the video to find its rulesets.
   * - TOKEN_EXPIRED: the viewer token in `Authorization` has expired.
   * - TOKEN_MALFORMED: the viewer token in `Authorization` is not a JWT, or lacks a claim.
   * - SIGNATURE_INVALID: the viewer token in `Authorization` has an invalid signature.
   * - ISSUER_UNKNOWN: the viewer token in `Authorization` has another issuer.
   * - AUDIENCE_NOT_ALLOWED: the viewer token in `Authorization` is for another project.
   */
  authorizePlayback(request: Input<AuthorizePlaybackRequest>, options?: CallOptions): Promise<AuthorizePlaybackResponse>;

  /**
   * Continues playback: decides again, keeps the stream alive and signs a new playlist URL.
   *
   * Call it every `keep_alive_interval`. A stream that is not kept alive expires.
   *
   * Errors by reason:
   * - The errors of AuthorizePlayback.
   */
  keepPlayback(request: Input<KeepPlaybackRequest>, options?: CallOptions): Promise<KeepPlaybackResponse>;

  /**
   * Ends playback and releases the stream at once. Succeeds if the session has no stream.
   *
   * Errors by reason:
   * - SESSION_KEY_INVALID: `session_key` has other characters, or more than 128.
   * - TOKEN_EXPIRED: the viewer token in `Authorization` has expired.
   * - TOKEN_MALFORMED: the viewer token in `Authorization` is not a JWT, or lacks a claim.
   * - SIGNATURE_INVALID: the viewer token in `Authorization` has an invalid signature.
   * - ISSUER_UNKNOWN: the viewer token in `Authorization` has another issuer.
   * - AUDIENCE_NOT_ALLOWED: the viewer token in `Authorization` is for another project.
   */
  stopPlayback(request: Input<StopPlaybackRequest>, options?: CallOptions): Promise<StopPlaybackResponse>;
}

/** The services of the Delivery API. A call fails with a {@link MarqueeError}. */
export interface DeliveryClient {
  readonly annotation: AnnotationClient;
  readonly creativeWork: CreativeWorkClient;
  readonly entity: EntityClient;
  readonly event: EventClient;
  readonly auth: AuthClient;
  readonly entitlement: EntitlementClient;
  readonly offer: OfferClient;
  readonly bannerCollection: BannerCollectionClient;
  readonly page: PageClient;
  readonly pageComponent: PageComponentClient;
  readonly playback: PlaybackClient;
  /** Carries the calls; for libraries that take one. */
  readonly transport: Transport;
}

/** Creates the clients of the services of the Delivery API. */
export function createDeliveryServices(transport: Transport): DeliveryClient {
  return {
    annotation: createClient(AnnotationService, transport),
    creativeWork: createClient(CreativeWorkService, transport),
    entity: createClient(EntityService, transport),
    event: createClient(EventService, transport),
    auth: createClient(AuthService, transport),
    entitlement: createClient(EntitlementService, transport),
    offer: createClient(OfferService, transport),
    bannerCollection: createClient(BannerCollectionService, transport),
    page: createClient(PageService, transport),
    pageComponent: createClient(PageComponentService, transport),
    playback: createClient(PlaybackService, transport),
    transport,
  };
}
