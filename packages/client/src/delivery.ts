import type { Transport } from "@connectrpc/connect";
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
import type {
  AnnotationClient,
  AuthClient,
  BannerCollectionClient,
  CreativeWorkClient,
  EntitlementClient,
  EntityClient,
  EventClient,
  OfferClient,
  PageClient,
  PageComponentClient,
  PlaybackClient,
} from "./delivery-services.ts";
import { createDeliveryTransport, type DeliveryOptions } from "./transport.ts";

export * from "../../../gen/svc/cda/annotations/annotation/v1/annotation_service_pb.ts";
export * from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
export * from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_service_pb.ts";
export * from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
export * from "../../../gen/svc/cda/cms/entity/v1/entity_service_pb.ts";
export * from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
export * from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
export * from "../../../gen/svc/cda/cms/item/v1/item_pb.ts";
export * from "../../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
export * from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
export * from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_service_pb.ts";
export * from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
export * from "../../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
export * from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
export * from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
export * from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
export * from "../../../gen/svc/cda/ott/page_component/v2/page_component_service_pb.ts";
export * from "../../../gen/svc/cda/ott/page_component/v2/resolved_component_pb.ts";
export * from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
export * from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/border_radius_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/filter_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/offers_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/player_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
export * from "../../../gen/svc/type/v1/visibility_pb.ts";
export type * from "./delivery-services.ts";
export { type PreviewOptions, preview } from "./preview.ts";
export { createDeliveryTransport, type DeliveryOptions };

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

/**
 * Creates a client. It keeps no connection open, so there is nothing to close. Throws a `TypeError` for an option that
 * is missing or of the wrong kind.
 */
export function createDeliveryClient(options: DeliveryOptions): DeliveryClient {
  const transport = createDeliveryTransport(options);
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
