// Generated from proto/ by tools/client-services.ts.

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
