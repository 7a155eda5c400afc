// Generated from proto/ by tools/client-services.ts.

import type { CallOptions, Transport } from "@connectrpc/connect";
import type { ApplyReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { ApplyReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { BatchGetPageComponentsRequest } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import type { BatchGetPageComponentsResponse } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import type { CancelTransactionRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CancelTransactionResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CaptureTransactionRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CaptureTransactionResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CheckReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { CheckReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { CreateAccessTokenRequest } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { CreateAccessTokenResponse } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { CreateAccountRequest } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { CreateAccountResponse } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { CreateActionRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { CreateActionResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { CreateAnnotationRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { CreateAnnotationResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { CreateAnnotationTypeRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { CreateAnnotationTypeResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { CreateBannerCollectionRequest } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { CreateBannerCollectionResponse } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { CreateBindingRequest } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { CreateBindingResponse } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { CreateCreativeWorkRequest } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { CreateCreativeWorkResponse } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { CreateEntitlementRequest } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { CreateEntitlementResponse } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { CreateEntityRequest } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { CreateEntityResponse } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { CreateEventRequest } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { CreateEventResponse } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { CreateOfferRequest } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { CreateOfferResponse } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { CreateOrganizationRequest } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { CreateOrganizationResponse } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { CreatePageComponentRequest } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { CreatePageComponentResponse } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { CreatePageRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { CreatePageResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { CreateProjectKeyRequest } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { CreateProjectKeyResponse } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { CreateProjectRequest } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { CreateProjectResponse } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { CreateReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { CreateReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { CreateRoleRequest } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { CreateRoleResponse } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { CreateRulesetRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { CreateRulesetResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { CreateTransactionRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CreateTransactionResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { CreateVideoRequest } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { CreateVideoResponse } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { CreateWebhookRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { CreateWebhookResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { DeleteAccountRequest } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { DeleteAccountResponse } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { DeleteActionRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { DeleteActionResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { DeleteAnnotationRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { DeleteAnnotationResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { DeleteAnnotationTypeRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { DeleteAnnotationTypeResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { DeleteBannerCollectionRequest } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { DeleteBannerCollectionResponse } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { DeleteBindingRequest } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { DeleteBindingResponse } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { DeleteCreativeWorkRequest } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { DeleteCreativeWorkResponse } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { DeleteEntitlementRequest } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { DeleteEntitlementResponse } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { DeleteEntityRequest } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { DeleteEntityResponse } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { DeleteEventRequest } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { DeleteEventResponse } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { DeleteOfferRequest } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { DeleteOfferResponse } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { DeleteOrganizationRequest } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { DeleteOrganizationResponse } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { DeletePageComponentRequest } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { DeletePageComponentResponse } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { DeletePageRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { DeletePageResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { DeleteProjectKeyRequest } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { DeleteProjectKeyResponse } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { DeleteProjectRequest } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { DeleteProjectResponse } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { DeleteReleaseItemRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { DeleteReleaseItemResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { DeleteReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { DeleteReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { DeleteRoleRequest } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { DeleteRoleResponse } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { DeleteRulesetRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { DeleteRulesetResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { DeleteVideoRequest } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { DeleteVideoResponse } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { DeleteWebhookRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { DeleteWebhookResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { GetAccessTokenRequest } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { GetAccessTokenResponse } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { GetAccountRequest } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { GetAccountResponse } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { GetActionConfigurationRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { GetActionConfigurationResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { GetActionRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { GetActionResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { GetActionRunRequest } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { GetActionRunResponse } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { GetAnnotationRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { GetAnnotationResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { GetAnnotationTypeRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { GetAnnotationTypeResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { GetBannerCollectionRequest } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { GetBannerCollectionResponse } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { GetBillingIntegrationRequest } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import type { GetBillingIntegrationResponse } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import type { GetBindingRequest } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { GetBindingResponse } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { GetChangeRequest } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { GetChangeResponse } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { GetCreativeWorkRequest } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { GetCreativeWorkResponse } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { GetEntitlementRequest } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { GetEntitlementResponse } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { GetEntityRequest } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { GetEntityResponse } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { GetEventRequest } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { GetEventResponse } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { GetMeRequest } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import type { GetMeResponse } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import type { GetOfferRequest } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { GetOfferResponse } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { GetOrganizationRequest } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { GetOrganizationResponse } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { GetPageComponentRequest } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { GetPageComponentResponse } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { GetPageRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { GetPageResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { GetProjectKeyRequest } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { GetProjectKeyResponse } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { GetProjectRequest } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { GetProjectResponse } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { GetReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { GetReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { GetRoleRequest } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { GetRoleResponse } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { GetRulesetRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { GetRulesetResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { GetSignInIntegrationRequest } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { GetSignInIntegrationResponse } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { GetStaffSignInRequest } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { GetStaffSignInResponse } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { GetTransactionRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { GetTransactionResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { GetVideoRequest } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { GetVideoResponse } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { GetWebhookRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { GetWebhookResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { ListAccessTokensRequest } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { ListAccessTokensResponse } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { ListAccountsRequest } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { ListAccountsResponse } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { ListActionRunsRequest } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { ListActionRunsResponse } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { ListActionsRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { ListActionsResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { ListAnnotationTypesRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { ListAnnotationTypesResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { ListAnnotationsRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { ListAnnotationsResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { ListBannerCollectionsRequest } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { ListBannerCollectionsResponse } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { ListBindingsRequest } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { ListBindingsResponse } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import type { ListChangesRequest } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { ListChangesResponse } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { ListCreativeWorksRequest } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ListCreativeWorksResponse } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { ListEntitiesRequest } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { ListEntitiesResponse } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { ListEntitlementsRequest } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { ListEntitlementsResponse } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import type { ListEntriesRequest } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import type { ListEntriesResponse } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import type { ListEventsRequest } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { ListEventsResponse } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { ListOffersRequest } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { ListOffersResponse } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { ListOrganizationsRequest } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { ListOrganizationsResponse } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { ListPageComponentsRequest } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { ListPageComponentsResponse } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { ListPagesRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { ListPagesResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { ListProjectKeysRequest } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { ListProjectKeysResponse } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { ListProjectsRequest } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { ListProjectsResponse } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { ListReleaseItemsRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { ListReleaseItemsResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { ListReleasesRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { ListReleasesResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { ListRolesRequest } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { ListRolesResponse } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { ListRulesetsRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { ListRulesetsResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { ListTransactionsRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { ListTransactionsResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { ListVideosRequest } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { ListVideosResponse } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { ListWebhooksRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { ListWebhooksResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { RefundTransactionRequest } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { RefundTransactionResponse } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import type { RenderPageComponentRequest } from "../../../gen/svc/studio/ott/rendering/v1/rendering_service_pb.ts";
import type { RenderPageComponentResponse } from "../../../gen/svc/studio/ott/rendering/v1/rendering_service_pb.ts";
import type { ReorderPageComponentsRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { ReorderPageComponentsResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { ReplayActionRunRequest } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { ReplayActionRunResponse } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import type { RevertChangeRequest } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { RevertChangeResponse } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import type { RevokeAccessTokenRequest } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { RevokeAccessTokenResponse } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import type { RotateActionSecretRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { RotateActionSecretResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { RotateBillingSecretRequest } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import type { RotateBillingSecretResponse } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import type { RotateWebhookSecretRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { RotateWebhookSecretResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { SetAnnotationVisibilityRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { SetAnnotationVisibilityResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { SimulateRulesetsRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import type { SimulateRulesetsResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import type { TestPermissionsRequest } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import type { TestPermissionsResponse } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import type { TestStaffSignInRequest } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { TestStaffSignInResponse } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { UpdateAccountRequest } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { UpdateAccountResponse } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import type { UpdateActionConfigurationRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { UpdateActionConfigurationResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { UpdateActionRequest } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { UpdateActionResponse } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { UpdateAnnotationRequest } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { UpdateAnnotationResponse } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import type { UpdateAnnotationTypeRequest } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { UpdateAnnotationTypeResponse } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import type { UpdateBannerCollectionRequest } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { UpdateBannerCollectionResponse } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import type { UpdateCreativeWorkRequest } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { UpdateCreativeWorkResponse } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import type { UpdateEntityRequest } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { UpdateEntityResponse } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import type { UpdateEventRequest } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { UpdateEventResponse } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import type { UpdateOfferRequest } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { UpdateOfferResponse } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import type { UpdateOrganizationRequest } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { UpdateOrganizationResponse } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import type { UpdatePageComponentRequest } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { UpdatePageComponentResponse } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import type { UpdatePageRequest } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { UpdatePageResponse } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import type { UpdateProjectKeyRequest } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { UpdateProjectKeyResponse } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import type { UpdateProjectRequest } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { UpdateProjectResponse } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import type { UpdateReleaseRequest } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { UpdateReleaseResponse } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import type { UpdateRoleRequest } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { UpdateRoleResponse } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import type { UpdateRulesetRequest } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { UpdateRulesetResponse } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import type { UpdateSignInIntegrationRequest } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { UpdateSignInIntegrationResponse } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { UpdateStaffSignInRequest } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { UpdateStaffSignInResponse } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import type { UpdateVideoRequest } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { UpdateVideoResponse } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { UpdateWebhookRequest } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { UpdateWebhookResponse } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import type { WriteRecordsRequest } from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import type { WriteRecordsResponse } from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { ActionService } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import { ActionRunService } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { AnnotationService } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { AnnotationTypeService } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { ChangeService } from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
import { CreativeWorkService } from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { RecordService } from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import { ReleaseService } from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
import { WebhookService } from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import { AccessTokenService } from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import { AccountService } from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { AuditService } from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { BindingService } from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import { OrganizationService } from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { ProjectKeyService } from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { RoleService } from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import { SignInIntegrationService } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { StaffSignInService } from "../../../gen/svc/studio/iam/staff_sign_in/v1/staff_sign_in_service_pb.ts";
import { BillingIntegrationService } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import { EntitlementService } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService as PageComponentV1Service } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RenderingService } from "../../../gen/svc/studio/ott/rendering/v1/rendering_service_pb.ts";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { createClient } from "./client.ts";
import type { Input } from "./input.ts";

/**
 * Manages actions: calls to your server when an annotation is created.
 */
export interface ActionClient {
  /**
   * Creates an action.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `action_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `action_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - ONEOF_REQUIRED: neither `webhook` nor `connect_call` is set.
   * - TARGET_INVALID: the URL is not absolute, or has credentials or a query where none is allowed.
   * - TARGET_NOT_ALLOWED: the URL is http or a private address, and the operator does not allow it.
   * - METHOD_NOT_DESCRIBED: `descriptor_set` lacks the method, or the method is not unary.
   * - REQUEST_NOT_ACCEPTED: the method does not accept `request`.
   * - VARIABLE_MALFORMED: the braces of a placeholder are malformed.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createAction(request: Input<CreateActionRequest>, options?: CallOptions): Promise<CreateActionResponse>;

  /**
   * Gets an action. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the action does not exist, or the account has no role for it.
   */
  getAction(request: Input<GetActionRequest>, options?: CallOptions): Promise<GetActionResponse>;

  /**
   * Lists the actions of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listActions(request: Input<ListActionsRequest>, options?: CallOptions): Promise<ListActionsResponse>;

  /**
   * Updates the fields of an action that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the action has changed since the ETag in `If-Match`.
   * - ONEOF_REQUIRED: neither `webhook` nor `connect_call` is set.
   * - TARGET_INVALID: the URL is not absolute, or has credentials or a query where none is allowed.
   * - TARGET_NOT_ALLOWED: the URL is http or a private address, and the operator does not allow it.
   * - METHOD_NOT_DESCRIBED: `descriptor_set` lacks the method, or the method is not unary.
   * - REQUEST_NOT_ACCEPTED: the method does not accept `request`.
   * - VARIABLE_MALFORMED: the braces of a placeholder are malformed.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateAction(request: Input<UpdateActionRequest>, options?: CallOptions): Promise<UpdateActionResponse>;

  /**
   * Deletes an action. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the action has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the action, and `force` is false.
   */
  deleteAction(request: Input<DeleteActionRequest>, options?: CallOptions): Promise<DeleteActionResponse>;

  /**
   * Generates a new signing secret for an action. Every later request is signed with it. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the action has changed since the ETag in `If-Match`.
   */
  rotateActionSecret(request: Input<RotateActionSecretRequest>, options?: CallOptions): Promise<RotateActionSecretResponse>;
}

/**
 * Shows the runs of actions and webhooks, and sends them again. Ended runs are kept for 30 days.
 */
export interface ActionRunClient {
  /**
   * Gets a run. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the run does not exist, or the account has no role for it.
   */
  getActionRun(request: Input<GetActionRunRequest>, options?: CallOptions): Promise<GetActionRunResponse>;

  /**
   * Lists the runs of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listActionRuns(request: Input<ListActionRunsRequest>, options?: CallOptions): Promise<ListActionRunsResponse>;

  /**
   * Sends a run again, at once and with the usual retries, under the same `webhook-id`, even if it was skipped.
   * Honors `If-Match`.
   *
   * A pending run is sent now. A run that is being sent remains unchanged.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the run has changed since the ETag in `If-Match`.
   * - ACTION_NOT_FOUND (FAILED_PRECONDITION): the action is deleted, or did not exist when the annotation was
   *   created.
   * - WEBHOOK_NOT_FOUND: the webhook is deleted.
   * - REQUEST_NOT_ACCEPTED (FAILED_PRECONDITION): the request of the run could not be built.
   */
  replayActionRun(request: Input<ReplayActionRunRequest>, options?: CallOptions): Promise<ReplayActionRunResponse>;
}

/**
 * Manages annotations: the moments of videos and events, such as goals.
 */
export interface AnnotationClient {
  /**
   * Updates the fields of an annotation that `update_mask` names, and runs no actions. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - OFFSET_INVALID: an offset is negative, or `end_offset` is before `start_offset`.
   * - VALUE_OUT_OF_RANGE: `confidence` is not a finite number.
   * - REFERENCE_NOT_FOUND: the project does not have the annotation type.
   * - ETAG_MISMATCH: the annotation has changed since the ETag in `If-Match`.
   * - ID_INVALID: the annotation is to be created, and `annotation_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the annotation is to be created, and its id is taken where the account has no role.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateAnnotation(request: Input<UpdateAnnotationRequest>, options?: CallOptions): Promise<UpdateAnnotationResponse>;

  /**
   * Creates an annotation, and a run for each action in the action configuration of its type.
   *
   * The type must exist in the project. The video, event, creative work and entities do not need to exist yet.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `annotation_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `annotation_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - OFFSET_INVALID: an offset is negative, or `end_offset` is before `start_offset`.
   * - VALUE_OUT_OF_RANGE: `confidence` is not a finite number.
   * - REFERENCE_NOT_FOUND: the project does not have the annotation type.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createAnnotation(request: Input<CreateAnnotationRequest>, options?: CallOptions): Promise<CreateAnnotationResponse>;

  /**
   * Gets an annotation. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the annotation does not exist, or the account has no role for it.
   */
  getAnnotation(request: Input<GetAnnotationRequest>, options?: CallOptions): Promise<GetAnnotationResponse>;

  /**
   * Lists the annotations of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listAnnotations(request: Input<ListAnnotationsRequest>, options?: CallOptions): Promise<ListAnnotationsResponse>;

  /**
   * Deletes an annotation; its runs continue. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the annotation has changed since the ETag in `If-Match`.
   */
  deleteAnnotation(request: Input<DeleteAnnotationRequest>, options?: CallOptions): Promise<DeleteAnnotationResponse>;

  /**
   * Sets the visibility of an annotation in the Delivery API, and runs no actions. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the annotation has changed since the ETag in `If-Match`.
   */
  setAnnotationVisibility(request: Input<SetAnnotationVisibilityRequest>, options?: CallOptions): Promise<SetAnnotationVisibilityResponse>;
}

/**
 * Manages annotation types, such as `goal`, and the actions that they run.
 */
export interface AnnotationTypeClient {
  /**
   * Gets the action configuration of an annotation type. A type without one has an empty configuration.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the annotation type does not exist, or the account has no role for it.
   */
  getActionConfiguration(request: Input<GetActionConfigurationRequest>, options?: CallOptions): Promise<GetActionConfigurationResponse>;

  /**
   * Replaces the action configuration of an annotation type. Honors `If-Match` with the ETag of the type.
   *
   * Errors by reason:
   * - ACTION_NOT_FOUND: `configuration` names an action that the project does not have.
   * - SETTINGS_INVALID: the settings of an action are not an object.
   * - SOURCE_TYPE_UNKNOWN: a condition names an unknown source type.
   * - VALUE_OUT_OF_RANGE: a `confidence_threshold` is not a finite number.
   * - ETAG_MISMATCH: the annotation type has changed since the ETag in `If-Match`.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateActionConfiguration(request: Input<UpdateActionConfigurationRequest>, options?: CallOptions): Promise<UpdateActionConfigurationResponse>;

  /**
   * Creates an annotation type.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `annotation_type_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `annotation_type_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createAnnotationType(request: Input<CreateAnnotationTypeRequest>, options?: CallOptions): Promise<CreateAnnotationTypeResponse>;

  /**
   * Gets an annotation type. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the annotation type does not exist, or the account has no role for it.
   */
  getAnnotationType(request: Input<GetAnnotationTypeRequest>, options?: CallOptions): Promise<GetAnnotationTypeResponse>;

  /**
   * Lists the annotation types of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listAnnotationTypes(request: Input<ListAnnotationTypesRequest>, options?: CallOptions): Promise<ListAnnotationTypesResponse>;

  /**
   * Updates the fields of an annotation type that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the annotation type has changed since the ETag in `If-Match`.
   * - ID_INVALID: the annotation type is to be created, and `annotation_type_id` has other characters, or more
   *   than 64.
   * - ALREADY_EXISTS: the annotation type is to be created, and its id is taken where the account has no role.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateAnnotationType(request: Input<UpdateAnnotationTypeRequest>, options?: CallOptions): Promise<UpdateAnnotationTypeResponse>;

  /**
   * Deletes an annotation type. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the annotation type has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the annotation type, and `force` is false.
   */
  deleteAnnotationType(request: Input<DeleteAnnotationTypeRequest>, options?: CallOptions): Promise<DeleteAnnotationTypeResponse>;
}

/**
 * Shows the history of a project, and takes changes back.
 */
export interface ChangeClient {
  /**
   * Lists the changes of a project, newest first, without values. Writes by one account to the same paths of one
   * resource within 60 seconds are one change. A history goes back 90 days unless the operator sets another
   * time; of each resource, the 20 newest changes are kept for a year.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   */
  listChanges(request: Input<ListChangesRequest>, options?: CallOptions): Promise<ListChangesResponse>;

  /**
   * Gets a change, with its resources before and after it: of the first resource, and of those that follow
   * within 4 MiB. Signing secrets are in no value.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the change does not exist, is no longer kept, or the account has no role for it.
   */
  getChange(request: Input<GetChangeRequest>, options?: CallOptions): Promise<GetChangeResponse>;

  /**
   * Takes a change back: its resources get the values that they had before it. Later changes of other values
   * stay. A resource that the change deleted exists again, an action or a webhook with a new secret. One that
   * the change created is deleted. Needs the permissions to write each of them. A call of this method is a
   * change that can be taken back, too. With `release_id`, only the permissions to read changes and to update
   * the release are needed.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the change does not exist, is no longer kept, or the account has no role for it.
   * - HISTORY_GONE: parts of the change are no longer kept.
   * - CHANGE_NOT_REVERTIBLE: the change is not of resources that can be taken back, or deleted too many. Or an
   *   import by the command line followed it.
   * - RELEASE_CONFLICTS: a later change has changed the same values, which metadata `conflicts` names.
   * - STILL_REFERRED_TO: others refer to a resource that the change created.
   * - WEBHOOK_LIMIT: the project has the most webhooks. Delete one first.
   * - PERMISSION_DENIED: the account may not write one of the resources.
   * - RELEASE_SCHEDULED: the release of `release_id` is scheduled. Clear its `apply_time` first.
   * - RELEASE_STATE_FORBIDS: the release of `release_id` is applied.
   * - RELEASE_ITEM_LIMIT: the release of `release_id` would have too many drafts or bytes.
   */
  revertChange(request: Input<RevertChangeRequest>, options?: CallOptions): Promise<RevertChangeResponse>;
}

/**
 * Manages creative works, such as films, episodes and highlights.
 */
export interface CreativeWorkClient {
  /**
   * Creates a creative work.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the
   * creative work.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `creative_work_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `creative_work_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - IDS_INVALID: an id in a list is blank.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the creative work has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createCreativeWork(request: Input<CreateCreativeWorkRequest>, options?: CallOptions): Promise<CreateCreativeWorkResponse>;

  /**
   * Gets a creative work. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the creative work does not exist, or the account has no role for it.
   */
  getCreativeWork(request: Input<GetCreativeWorkRequest>, options?: CallOptions): Promise<GetCreativeWorkResponse>;

  /**
   * Lists the creative works of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listCreativeWorks(request: Input<ListCreativeWorksRequest>, options?: CallOptions): Promise<ListCreativeWorksResponse>;

  /**
   * Updates the fields of a creative work that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the creative work has changed since the ETag in `If-Match`.
   * - ID_INVALID: the creative work is to be created, and `creative_work_id` has other characters, or more than
   *   64.
   * - ALREADY_EXISTS: the creative work is to be created, and its id is taken where the account has no role.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - IDS_INVALID: an id in a list is blank.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the creative work has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateCreativeWork(request: Input<UpdateCreativeWorkRequest>, options?: CallOptions): Promise<UpdateCreativeWorkResponse>;

  /**
   * Deletes a creative work. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the creative work has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the creative work, and `force` is false.
   */
  deleteCreativeWork(request: Input<DeleteCreativeWorkRequest>, options?: CallOptions): Promise<DeleteCreativeWorkResponse>;
}

/**
 * Manages entities, such as teams, players and series.
 */
export interface EntityClient {
  /**
   * Creates an entity.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the
   * entity.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `entity_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `entity_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the entity has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createEntity(request: Input<CreateEntityRequest>, options?: CallOptions): Promise<CreateEntityResponse>;

  /**
   * Gets an entity. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the entity does not exist, or the account has no role for it.
   */
  getEntity(request: Input<GetEntityRequest>, options?: CallOptions): Promise<GetEntityResponse>;

  /**
   * Lists the entities of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listEntities(request: Input<ListEntitiesRequest>, options?: CallOptions): Promise<ListEntitiesResponse>;

  /**
   * Updates the fields of an entity that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the entity has changed since the ETag in `If-Match`.
   * - ID_INVALID: the entity is to be created, and `entity_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the entity is to be created, and its id is taken where the account has no role.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the entity has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateEntity(request: Input<UpdateEntityRequest>, options?: CallOptions): Promise<UpdateEntityResponse>;

  /**
   * Deletes an entity. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the entity has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the entity, and `force` is false.
   */
  deleteEntity(request: Input<DeleteEntityRequest>, options?: CallOptions): Promise<DeleteEntityResponse>;
}

/**
 * Manages events, such as matches and live shows.
 */
export interface EventClient {
  /**
   * Creates an event.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the event.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `event_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `event_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - TIME_WINDOW_INVALID: `end_time` is before `start_time`.
   * - IDS_INVALID: an id in a list is blank.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the event has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createEvent(request: Input<CreateEventRequest>, options?: CallOptions): Promise<CreateEventResponse>;

  /**
   * Gets an event. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the event does not exist, or the account has no role for it.
   */
  getEvent(request: Input<GetEventRequest>, options?: CallOptions): Promise<GetEventResponse>;

  /**
   * Lists the events of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listEvents(request: Input<ListEventsRequest>, options?: CallOptions): Promise<ListEventsResponse>;

  /**
   * Updates the fields of an event that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the event has changed since the ETag in `If-Match`.
   * - ID_INVALID: the event is to be created, and `event_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the event is to be created, and its id is taken where the account has no role.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - TIME_WINDOW_INVALID: `end_time` is before `start_time`.
   * - IDS_INVALID: an id in a list is blank.
   * - FIELDS_TOO_DEEP: `fields` nests more than 30 levels.
   * - CONTENT_TOO_LARGE: the event has more than 256 KiB or 5,000 values as JSON.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateEvent(request: Input<UpdateEventRequest>, options?: CallOptions): Promise<UpdateEventResponse>;

  /**
   * Deletes an event. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the event has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the event, and `force` is false.
   */
  deleteEvent(request: Input<DeleteEventRequest>, options?: CallOptions): Promise<DeleteEventResponse>;
}

/**
 * Writes many resources of a project in one call, such as the matches of a feed.
 */
export interface RecordClient {
  /**
   * Creates and updates up to 500 resources of a project by their ids. An identical resource is not written: its
   * ETag, the audit log and webhooks stay as they are.
   *
   * Each record has the rules and quotas of its kind, and needs the permission to create or to update its
   * resource. Each change has an audit entry. Webhooks announce up to 50 changes of a call one by one, and more
   * as one `project.imported`. Annotations of records run no actions.
   *
   * Errors by reason, of the call or of a record:
   * - FIELD_REQUIRED: `records` is empty, a record has no resource, or a required field is empty.
   * - TOO_MANY_ITEMS: `records` has more than 500 records.
   * - RECORD_KIND_INVALID: the resource is of a kind that records cannot write.
   * - RECORD_REPEATED: an earlier record of the call has the same kind and id.
   * - PROJECT_DIFFERENT: the resource belongs to another project than `project_id`.
   * - ID_INVALID: the resource is new, and its id has other characters, or more than 64.
   * - ALREADY_EXISTS: a resource of another project has the id, or another page the slug.
   * - UPDATE_MASK_INVALID: `fields_mask` names a field that cannot be updated.
   * - RESOURCE_NOT_FOUND: the record has a `fields_mask`, and its resource does not exist; or its page does not.
   * - REFERENCE_NOT_FOUND: the project has no annotation type, action or banner collection with a new reference.
   * - PERMISSION_DENIED: the account lacks the permission to create or to update the resource. Metadata:
   *   `permission`, `resource`.
   * - ETAG_MISMATCH: the request has `If-Match`.
   * - RECORDS_TOO_LARGE: the call would read and write more than 16 MiB of resources. Each counts before and
   *   after it. Send this record and those that follow in other calls.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   * - The errors of the create and update methods of the kind.
   */
  writeRecords(request: Input<WriteRecordsRequest>, options?: CallOptions): Promise<WriteRecordsResponse>;
}

/**
 * Manages releases, which apply drafts of several resources together. Drafts are written with the methods that
 * write a resource: with `release_id`, they write into the release.
 */
export interface ReleaseClient {
  /**
   * Creates a release. A project has at most 1,000 that are not applied.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `release_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `release_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - APPLY_TIME_INVALID: `apply_time` is past, or more than five years ahead.
   * - RELEASE_LIMIT: the project has 1,000 releases that are not applied.
   * - PERMISSION_DENIED: `apply_time` is set, and the account may not apply releases.
   */
  createRelease(request: Input<CreateReleaseRequest>, options?: CallOptions): Promise<CreateReleaseResponse>;

  /**
   * Gets a release. The response has its `ETag`, which drafts do not change.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist, or the account has no role for it.
   */
  getRelease(request: Input<GetReleaseRequest>, options?: CallOptions): Promise<GetReleaseResponse>;

  /**
   * Lists the releases of a project. A page ends early if counting drafts takes longer than a request may.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listReleases(request: Input<ListReleasesRequest>, options?: CallOptions): Promise<ListReleasesResponse>;

  /**
   * Updates the fields of a release that `update_mask` names. Setting `apply_time` schedules the release, which
   * must have no problem then; clearing it opens the release again. Both need the permission to apply it. Honors
   * `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the release has changed since the ETag in `If-Match`.
   * - RELEASE_STATE_FORBIDS: the release is applied.
   * - APPLY_TIME_INVALID: `apply_time` is past, or more than five years ahead.
   * - RELEASE_NOT_READY: the release has problems, which `:check` lists, and cannot be scheduled.
   * - PERMISSION_DENIED: `apply_time` is set or was set, and the account may not apply the release.
   */
  updateRelease(request: Input<UpdateReleaseRequest>, options?: CallOptions): Promise<UpdateReleaseResponse>;

  /**
   * Deletes a release with its drafts. Current versions stay. To delete a release that another account created,
   * the permission to apply it is needed, too. Honors `If-Match`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist, or the account has no role for it.
   * - PERMISSION_DENIED: another account created the release, and the account may not apply it.
   * - ETAG_MISMATCH: the release has changed since the ETag in `If-Match`.
   * - RELEASE_SCHEDULED: the release is scheduled. Clear `apply_time` first.
   */
  deleteRelease(request: Input<DeleteReleaseRequest>, options?: CallOptions): Promise<DeleteReleaseResponse>;

  /**
   * Lists the drafts of a release, each with the current version and its conflicts.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist, or the account has no role for it.
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   */
  listReleaseItems(request: Input<ListReleaseItemsRequest>, options?: CallOptions): Promise<ListReleaseItemsResponse>;

  /**
   * Removes the draft of a resource from a release.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist or has no such draft, or the account has no role for it.
   * - RELEASE_SCHEDULED: the release is scheduled. Clear `apply_time` first.
   * - RELEASE_STATE_FORBIDS: the release is applied.
   */
  deleteReleaseItem(request: Input<DeleteReleaseItemRequest>, options?: CallOptions): Promise<DeleteReleaseItemResponse>;

  /**
   * Lists every problem that prevents the release from being applied, by applying it and rolling back. Changes
   * nothing. Permissions of the account are not among them.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist, or the account has no role for it.
   * - RELEASE_STATE_FORBIDS: the release is applied.
   * - RELEASE_CHECK_LIMIT: another check of the organization is in progress, or this one takes too long.
   */
  checkRelease(request: Input<CheckReleaseRequest>, options?: CallOptions): Promise<CheckReleaseResponse>;

  /**
   * Applies a release now: its drafts become current together, or none does. Needs the permissions to write each
   * of them. Other errors of their writes are possible, too; metadata `item` names the draft. Honors `If-Match`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the release does not exist, or the account has no role for it.
   * - ETAG_MISMATCH: the release has changed since the ETag in `If-Match`.
   * - RELEASE_STATE_FORBIDS: the release is applied.
   * - RELEASE_CONFLICTS: current versions have changed what drafts change, which metadata `conflicts` names.
   * - PERMISSION_DENIED: the account may not write one of the resources.
   * - STILL_REFERRED_TO: others refer to a resource that the release deletes.
   * - ALREADY_EXISTS: another page has the slug of a page of the release.
   * - REFERENCE_NOT_FOUND: a draft refers to a resource that the project does not have.
   * - QUOTA_EXCEEDED: the drafts exceed a quota.
   */
  applyRelease(request: Input<ApplyReleaseRequest>, options?: CallOptions): Promise<ApplyReleaseResponse>;
}

/**
 * Manages webhooks, which announce changes of content to your server.
 */
export interface WebhookClient {
  /**
   * Creates a webhook. A project has at most 20.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `webhook_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `webhook_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - TARGET_INVALID: the URL is not absolute, or has credentials or a query where none is allowed.
   * - TARGET_NOT_ALLOWED: the URL is http or a private address, and the operator does not allow it.
   * - KIND_UNKNOWN: `kinds` has a kind that webhooks do not announce.
   * - VALUE_INVALID: `events` has WEBHOOK_EVENT_UNSPECIFIED.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - WEBHOOK_LIMIT: the project has 20 webhooks.
   */
  createWebhook(request: Input<CreateWebhookRequest>, options?: CallOptions): Promise<CreateWebhookResponse>;

  /**
   * Gets a webhook. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the webhook does not exist, or the account has no role for it.
   */
  getWebhook(request: Input<GetWebhookRequest>, options?: CallOptions): Promise<GetWebhookResponse>;

  /**
   * Lists the webhooks of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listWebhooks(request: Input<ListWebhooksRequest>, options?: CallOptions): Promise<ListWebhooksResponse>;

  /**
   * Updates the fields of a webhook that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the webhook has changed since the ETag in `If-Match`.
   * - TARGET_INVALID: the URL is not absolute, or has credentials or a query where none is allowed.
   * - TARGET_NOT_ALLOWED: the URL is http or a private address, and the operator does not allow it.
   * - KIND_UNKNOWN: `kinds` has a kind that webhooks do not announce.
   * - VALUE_INVALID: `events` has WEBHOOK_EVENT_UNSPECIFIED.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   */
  updateWebhook(request: Input<UpdateWebhookRequest>, options?: CallOptions): Promise<UpdateWebhookResponse>;

  /**
   * Deletes a webhook; its pending runs fail with `WEBHOOK_NOT_FOUND`. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the webhook has changed since the ETag in `If-Match`.
   */
  deleteWebhook(request: Input<DeleteWebhookRequest>, options?: CallOptions): Promise<DeleteWebhookResponse>;

  /**
   * Generates a new signing secret for a webhook. Every later request is signed with it. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the webhook has changed since the ETag in `If-Match`.
   */
  rotateWebhookSecret(request: Input<RotateWebhookSecretRequest>, options?: CallOptions): Promise<RotateWebhookSecretResponse>;
}

/**
 * Manages the access tokens of accounts.
 */
export interface AccessTokenClient {
  /**
   * Creates an access token of an account.
   *
   * The token can do everything that the account may. The caller must therefore have, on the resource of each
   * binding of the account, every permission of that binding. Callers can always create tokens of their own
   * account.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `access_token_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `access_token_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - EXPIRE_TIME_INVALID: `expire_time` is in the past.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of the account. Metadata: `resource`, the first 20
   *   missing `permissions`, and their `count`.
   */
  createAccessToken(request: Input<CreateAccessTokenRequest>, options?: CallOptions): Promise<CreateAccessTokenResponse>;

  /**
   * Gets an access token. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the access token does not exist, or the account has no role for it.
   */
  getAccessToken(request: Input<GetAccessTokenRequest>, options?: CallOptions): Promise<GetAccessTokenResponse>;

  /**
   * Lists the access tokens of an account.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listAccessTokens(request: Input<ListAccessTokensRequest>, options?: CallOptions): Promise<ListAccessTokensResponse>;

  /**
   * Revokes an access token at once and for good. Honors `If-Match`. Revoking it again changes nothing.
   *
   * The permissions of its account do not matter, because a token may have leaked.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the access token has changed since the ETag in `If-Match`.
   */
  revokeAccessToken(request: Input<RevokeAccessTokenRequest>, options?: CallOptions): Promise<RevokeAccessTokenResponse>;
}

/**
 * Manages the accounts of an organization: people and programs that call the Studio API.
 */
export interface AccountClient {
  /**
   * Creates an account.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `account_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `account_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - EMAIL_INVALID: `email` is not an e-mail address of at most 254 characters.
   * - EMAIL_TAKEN: another account of the organization has the e-mail.
   * - QUOTA_EXCEEDED: the organization would exceed its quota of accounts.
   */
  createAccount(request: Input<CreateAccountRequest>, options?: CallOptions): Promise<CreateAccountResponse>;

  /**
   * Gets an account. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the account does not exist, or the account has no role for it.
   */
  getAccount(request: Input<GetAccountRequest>, options?: CallOptions): Promise<GetAccountResponse>;

  /**
   * Lists the accounts of an organization.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listAccounts(request: Input<ListAccountsRequest>, options?: CallOptions): Promise<ListAccountsResponse>;

  /**
   * Updates the fields of an account that `update_mask` names. Honors `If-Match`.
   *
   * The holder of an e-mail can sign in to its account. To change the e-mail, the caller must therefore have
   * every permission of each binding of the account, in any organization.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - EMAIL_INVALID: `email` is not an e-mail address of at most 254 characters.
   * - EMAIL_TAKEN: another account of the organization has the e-mail.
   * - PERMISSION_NOT_HELD: the e-mail changes, and the caller lacks a permission of a binding of the account.
   *   Metadata: `resource`, the first 20 missing `permissions`, and their `count`.
   * - ETAG_MISMATCH: the account has changed since the ETag in `If-Match`.
   * - ID_INVALID: the account is to be created, and `account_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the account is to be created, and its id is taken where the account has no role.
   */
  updateAccount(request: Input<UpdateAccountRequest>, options?: CallOptions): Promise<UpdateAccountResponse>;

  /**
   * Deletes an account. Honors `If-Match`. The last owner of an organization cannot be deleted, even with
   * `force`.
   *
   * The caller must have every permission of each binding that the account has in its own organization. Bindings
   * in other organizations are deleted with the account.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the account has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the account, and `force` is false.
   * - LAST_OWNER: the organization would have no owner.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of a binding of the account. Metadata: `resource`, the
   *   first 20 missing `permissions`, and their `count`.
   */
  deleteAccount(request: Input<DeleteAccountRequest>, options?: CallOptions): Promise<DeleteAccountResponse>;
}

/**
 * Shows the audit log: the writes in an organization.
 */
export interface AuditClient {
  /**
   * Lists the writes in an organization, newest first.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   */
  listEntries(request: Input<ListEntriesRequest>, options?: CallOptions): Promise<ListEntriesResponse>;
}

/**
 * Reports the access of the caller.
 */
export interface AuthClient {
  /**
   * Gets the calling account with the organizations and projects where it has a role.
   */
  getMe(request: Input<GetMeRequest>, options?: CallOptions): Promise<GetMeResponse>;

  /**
   * Returns the requested permissions that the calling account has on a resource or on an ancestor of it. For a
   * resource that does not exist, the list is empty.
   *
   * Errors by reason:
   * - RESOURCE_KEY_MALFORMED: `resource_key` does not have one of its forms.
   * - PERMISSION_NAME_MALFORMED: a permission is not `<area>.<collection>.<verb>`.
   * - PERMISSION_COUNT_INVALID: the list is empty or has more than 100 permissions.
   */
  testPermissions(request: Input<TestPermissionsRequest>, options?: CallOptions): Promise<TestPermissionsResponse>;
}

/**
 * Manages role bindings. Callers can grant or remove only roles whose permissions they all have on the resource.
 */
export interface BindingClient {
  /**
   * Grants an account a role on a resource.
   *
   * The resource, the account and a role that is not built in must belong to the organization of the binding. A
   * binding is deleted with its resource, account or role, and with the project of its resource.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `binding_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `binding_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - RESOURCE_KEY_MALFORMED: `resource_key` does not have one of its forms.
   * - RESOURCE_TYPE_INVALID: `resource_key` names a type that roles are not bound on.
   * - RESOURCE_NOT_FOUND (INVALID_ARGUMENT): the organization does not have the resource, the account or the
   *   role.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of the role on the resource. Metadata: `resource`, the
   *   first 20 missing `permissions`, and their `count`.
   * - BINDING_LIMIT: the account has 1,000 bindings, or the role would be its 51st.
   */
  createBinding(request: Input<CreateBindingRequest>, options?: CallOptions): Promise<CreateBindingResponse>;

  /**
   * Gets a binding. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the binding does not exist, or the account has no role for it.
   */
  getBinding(request: Input<GetBindingRequest>, options?: CallOptions): Promise<GetBindingResponse>;

  /**
   * Lists the bindings of an organization.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listBindings(request: Input<ListBindingsRequest>, options?: CallOptions): Promise<ListBindingsResponse>;

  /**
   * Deletes a binding. Honors `If-Match`. The last binding with the role `owner` on a whole organization cannot
   * be deleted.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the binding has changed since the ETag in `If-Match`.
   * - LAST_OWNER: the organization would have no owner.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of the role on the resource. Metadata: `resource`, the
   *   first 20 missing `permissions`, and their `count`.
   */
  deleteBinding(request: Input<DeleteBindingRequest>, options?: CallOptions): Promise<DeleteBindingResponse>;
}

/**
 * Manages organizations. Only an account with the role `operator` can create them. It becomes `owner` of the new
 * organization by a binding, although it belongs to another one.
 */
export interface OrganizationClient {
  /**
   * Creates an organization.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `organization_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `organization_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - QUOTA_INVALID: a quota is negative or too large.
   * - BINDING_LIMIT: the account has 1,000 bindings, or `owner` would be its 51st role.
   */
  createOrganization(request: Input<CreateOrganizationRequest>, options?: CallOptions): Promise<CreateOrganizationResponse>;

  /**
   * Gets an organization. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the organization does not exist, or the account has no role for it.
   */
  getOrganization(request: Input<GetOrganizationRequest>, options?: CallOptions): Promise<GetOrganizationResponse>;

  /**
   * Updates the fields of an organization that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the organization has changed since the ETag in `If-Match`.
   * - ID_INVALID: the organization is to be created, and `organization_id` has other characters, or more than
   *   64.
   * - ALREADY_EXISTS: the organization is to be created, and its id is taken where the account has no role.
   * - QUOTA_INVALID: a quota is negative or too large.
   * - QUOTAS_RESERVED: `quotas` is set, and the caller is not an operator of the installation.
   */
  updateOrganization(request: Input<UpdateOrganizationRequest>, options?: CallOptions): Promise<UpdateOrganizationResponse>;

  /**
   * Deletes an organization with its roles and bindings. Honors `If-Match`.
   *
   * Its projects and accounts must be deleted before. Its audit entries remain, visible only to a later
   * organization with the same id.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the organization has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: the organization has projects or accounts.
   */
  deleteOrganization(request: Input<DeleteOrganizationRequest>, options?: CallOptions): Promise<DeleteOrganizationResponse>;

  /**
   * Lists the organizations where the calling account has a role on any resource. Those on which it lacks
   * `iam.organizations.get` have no `quotas` and no `usage`.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listOrganizations(request: Input<ListOrganizationsRequest>, options?: CallOptions): Promise<ListOrganizationsResponse>;
}

/**
 * Manages the projects of an organization: websites and apps with their content.
 */
export interface ProjectClient {
  /**
   * Creates a project.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `project_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `project_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - QUOTA_EXCEEDED: the organization would exceed its quota of projects.
   * - QUOTA_INVALID: a quota is negative or too large.
   * - QUOTAS_RESERVED: `quotas` is set, and the caller is not an operator of the installation.
   */
  createProject(request: Input<CreateProjectRequest>, options?: CallOptions): Promise<CreateProjectResponse>;

  /**
   * Gets a project. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project does not exist, or the account has no role for it.
   */
  getProject(request: Input<GetProjectRequest>, options?: CallOptions): Promise<GetProjectResponse>;

  /**
   * Lists the projects of an organization.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listProjects(request: Input<ListProjectsRequest>, options?: CallOptions): Promise<ListProjectsResponse>;

  /**
   * Updates the fields of a project that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the project has changed since the ETag in `If-Match`.
   * - ID_INVALID: the project is to be created, and `project_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the project is to be created, and its id is taken where the account has no role.
   * - QUOTA_INVALID: a quota is negative or too large.
   * - QUOTAS_RESERVED: `quotas` is set, and the caller is not an operator of the installation.
   */
  updateProject(request: Input<UpdateProjectRequest>, options?: CallOptions): Promise<UpdateProjectResponse>;

  /**
   * Deletes a project. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the project has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the project, and `force` is false.
   */
  deleteProject(request: Input<DeleteProjectRequest>, options?: CallOptions): Promise<DeleteProjectResponse>;
}

/**
 * Manages the public and preview keys of projects.
 */
export interface ProjectKeyClient {
  /**
   * Creates a key.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `project_key_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `project_key_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - KIND_INVALID: `kind` is neither public nor preview.
   * - QUOTA_EXCEEDED: the project would exceed its quota of keys.
   */
  createProjectKey(request: Input<CreateProjectKeyRequest>, options?: CallOptions): Promise<CreateProjectKeyResponse>;

  /**
   * Gets a key. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project key does not exist, or the account has no role for it.
   */
  getProjectKey(request: Input<GetProjectKeyRequest>, options?: CallOptions): Promise<GetProjectKeyResponse>;

  /**
   * Lists the keys of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listProjectKeys(request: Input<ListProjectKeysRequest>, options?: CallOptions): Promise<ListProjectKeysResponse>;

  /**
   * Updates the fields of a key that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the project key has changed since the ETag in `If-Match`.
   */
  updateProjectKey(request: Input<UpdateProjectKeyRequest>, options?: CallOptions): Promise<UpdateProjectKeyResponse>;

  /**
   * Deletes a project key, which stops working at once. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the project key has changed since the ETag in `If-Match`.
   */
  deleteProjectKey(request: Input<DeleteProjectKeyRequest>, options?: CallOptions): Promise<DeleteProjectKeyResponse>;
}

/**
 * Manages the roles of organizations. Callers can add permissions to a role, or remove them, only if they have
 * them on the organization. Only the built-in role `operator` gives `iam.organizations.create`.
 */
export interface RoleClient {
  /**
   * Creates a role. The ids of built-in roles are reserved.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `role_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `role_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - PERMISSION_UNKNOWN: a permission does not exist.
   * - PERMISSION_REPEATED: a permission is in the list twice.
   * - PERMISSION_RESERVED: `iam.organizations.create` is in the list.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of the role on the organization. Metadata: `resource`,
   *   the first 20 missing `permissions`, and their `count`.
   */
  createRole(request: Input<CreateRoleRequest>, options?: CallOptions): Promise<CreateRoleResponse>;

  /**
   * Gets a role of an organization. The response has its `ETag`. Built-in roles belong to no organization: only
   * ListRoles returns them, and other methods return RESOURCE_NOT_FOUND for them.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the role does not exist, or the account has no role for it.
   */
  getRole(request: Input<GetRoleRequest>, options?: CallOptions): Promise<GetRoleResponse>;

  /**
   * Lists the roles of an organization, and the built-in ones.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listRoles(request: Input<ListRolesRequest>, options?: CallOptions): Promise<ListRolesResponse>;

  /**
   * Updates the fields of a role that `update_mask` names, at once for every account with the role. Honors
   * `If-Match`.
   *
   * The caller must have the permissions that the update adds or removes.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the role has changed since the ETag in `If-Match`.
   * - ID_INVALID: the role is to be created, and `role_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the role is to be created, and its id is taken where the account has no role.
   * - PERMISSION_UNKNOWN: a permission does not exist.
   * - PERMISSION_REPEATED: a permission is in the list twice.
   * - PERMISSION_RESERVED: `iam.organizations.create` is in the list.
   * - PERMISSION_NOT_HELD: the caller lacks a permission that the update adds or removes. Metadata: `resource`,
   *   the first 20 missing `permissions`, and their `count`.
   */
  updateRole(request: Input<UpdateRoleRequest>, options?: CallOptions): Promise<UpdateRoleResponse>;

  /**
   * Deletes a role. Honors `If-Match`. The caller must have its permissions.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the role has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the role, and `force` is false.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of the role on the organization. Metadata: `resource`,
   *   the first 20 missing `permissions`, and their `count`.
   */
  deleteRole(request: Input<DeleteRoleRequest>, options?: CallOptions): Promise<DeleteRoleResponse>;
}

/**
 * Manages the sign-in integration of projects: the applications of an identity provider whose tokens a project
 * accepts.
 *
 * Paths and permissions name it `sso`.
 */
export interface SignInIntegrationClient {
  /**
   * Gets the sign-in integration of a project. A project that never had one has no audiences.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project does not exist, or the account has no role for it.
   */
  getSignInIntegration(request: Input<GetSignInIntegrationRequest>, options?: CallOptions): Promise<GetSignInIntegrationResponse>;

  /**
   * Replaces the audiences of a project: the applications whose identity tokens it accepts. Honors `If-Match`.
   *
   * Accepts and ignores any query parameter.
   *
   * Errors by reason:
   * - AUDIENCES_INVALID: the list is empty, or has a blank or repeated audience.
   * - ETAG_MISMATCH: the integration has changed since the ETag in `If-Match`.
   */
  updateSignInIntegration(request: Input<UpdateSignInIntegrationRequest>, options?: CallOptions): Promise<UpdateSignInIntegrationResponse>;
}

/**
 * Manages how the people of an organization sign in to the studio: with the identity provider of their company.
 */
export interface StaffSignInClient {
  /**
   * Gets the sign-in of an organization. The response has its `ETag`. An organization that has set none gets the
   * defaults, without an issuer.
   */
  getStaffSignIn(request: Input<GetStaffSignInRequest>, options?: CallOptions): Promise<GetStaffSignInResponse>;

  /**
   * Updates the fields of the sign-in that `update_mask` names. Honors `If-Match`.
   *
   * The issuer decides who a person is. The caller must therefore have every permission of each binding of all
   * accounts with an e-mail, in any organization.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - ISSUER_INVALID: `issuer` is not an https URL of one provider on the public internet.
   * - FIELD_REQUIRED: there is an issuer, and no `client_id`.
   * - SESSION_DURATION_INVALID: `session_duration` is not 1 to 24 hours.
   * - PERMISSION_NOT_HELD: the caller lacks a permission of an account with an e-mail. Metadata: `resource`, the
   *   first 20 missing `permissions`, and their `count`.
   * - ETAG_MISMATCH: the sign-in has changed since the ETag in `If-Match`.
   */
  updateStaffSignIn(request: Input<UpdateStaffSignInRequest>, options?: CallOptions): Promise<UpdateStaffSignInResponse>;

  /**
   * Tests the stored sign-in: reads the configuration and the keys of the issuer. Returns the problems, and the
   * redirect URL to register with the provider.
   *
   * Errors by reason:
   * - SIGN_IN_NOT_CONFIGURED: the organization has no issuer, or the URL of the studio is unknown.
   * - SIGN_IN_LIMIT: 20 sign-ins of the organization wait for its provider.
   */
  testStaffSignIn(request: Input<TestStaffSignInRequest>, options?: CallOptions): Promise<TestStaffSignInResponse>;
}

/**
 * Manages the secret of a billing provider, which signs its reports of purchases.
 */
export interface BillingIntegrationClient {
  /**
   * Gets the billing integration of a project. A project that never had a secret has one without times.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project does not exist, or the account has no role for it.
   */
  getBillingIntegration(request: Input<GetBillingIntegrationRequest>, options?: CallOptions): Promise<GetBillingIntegrationResponse>;

  /**
   * Generates a new signing secret for the billing provider. The previous one stays valid for 24 hours. Honors
   * `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the integration has changed since the ETag in `If-Match`.
   */
  rotateBillingSecret(request: Input<RotateBillingSecretRequest>, options?: CallOptions): Promise<RotateBillingSecretResponse>;
}

/**
 * Manages entitlements, whether granted by captured transactions or directly.
 */
export interface EntitlementClient {
  /**
   * Grants an entitlement without a transaction, such as a press pass.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `entitlement_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `entitlement_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - OFFER_NOT_FOUND: the project does not have the offer.
   * - TIME_WINDOW_INVALID: `end_time` is not after `start_time`.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createEntitlement(request: Input<CreateEntitlementRequest>, options?: CallOptions): Promise<CreateEntitlementResponse>;

  /**
   * Gets an entitlement, even one that has ended. The response has its `ETag`, which also changes with its
   * offer.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the entitlement does not exist, or the account has no role for it.
   */
  getEntitlement(request: Input<GetEntitlementRequest>, options?: CallOptions): Promise<GetEntitlementResponse>;

  /**
   * Lists the entitlements of a project, including ended ones. For one user, filter by `user_id: "viewer-42"`.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listEntitlements(request: Input<ListEntitlementsRequest>, options?: CallOptions): Promise<ListEntitlementsResponse>;

  /**
   * Deletes an entitlement that was granted directly. Honors `If-Match`. To end one that a transaction granted,
   * refund the transaction.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the entitlement has changed since the ETag in `If-Match`.
   * - ENTITLEMENT_BOUGHT: a transaction granted the entitlement; its id is in the metadata.
   */
  deleteEntitlement(request: Input<DeleteEntitlementRequest>, options?: CallOptions): Promise<DeleteEntitlementResponse>;
}

/**
 * Manages offers: products that viewers can buy or subscribe to.
 */
export interface OfferClient {
  /**
   * Creates an offer.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the offer.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `offer_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `offer_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - PRICE_INVALID: a price lacks its id, amount or a period, or two prices have one id.
   * - VALUE_OUT_OF_RANGE: `max_streams` is negative.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createOffer(request: Input<CreateOfferRequest>, options?: CallOptions): Promise<CreateOfferResponse>;

  /**
   * Gets an offer. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the offer does not exist, or the account has no role for it.
   */
  getOffer(request: Input<GetOfferRequest>, options?: CallOptions): Promise<GetOfferResponse>;

  /**
   * Lists the offers of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listOffers(request: Input<ListOffersRequest>, options?: CallOptions): Promise<ListOffersResponse>;

  /**
   * Updates the fields of an offer that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the offer has changed since the ETag in `If-Match`.
   * - ID_INVALID: the offer is to be created, and `offer_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the offer is to be created, and its id is taken where the account has no role.
   * - PRICE_INVALID: a price lacks its id, amount or a period, or two prices have one id.
   * - VALUE_OUT_OF_RANGE: `max_streams` is negative.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateOffer(request: Input<UpdateOfferRequest>, options?: CallOptions): Promise<UpdateOfferResponse>;

  /**
   * Deletes an offer. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the offer has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the offer, and `force` is false.
   */
  deleteOffer(request: Input<DeleteOfferRequest>, options?: CallOptions): Promise<DeleteOfferResponse>;
}

/**
 * Manages transactions: purchases of offers.
 */
export interface TransactionClient {
  /**
   * Lists transactions of one project or of all projects, newest first; ties are ordered by id.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - FILTER_NOT_SUPPORTED: `filter` has more than conditions on `billing_transaction_id`, joined by `and`.
   */
  listTransactions(request: Input<ListTransactionsRequest>, options?: CallOptions): Promise<ListTransactionsResponse>;

  /**
   * Creates a pending transaction, the purchase of an offer. Amounts that are not sent are computed from the
   * price and the other amounts.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty, or the price is, and the offer has several.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `transaction_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `transaction_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - OFFER_NOT_FOUND: the project does not have the offer.
   * - PRICE_NOT_FOUND: the offer does not have the price.
   * - PERIOD_INVALID: a period is not the period of the price.
   * - AMOUNT_INVALID: an amount is negative, in another currency, or inconsistent with the others.
   * - AMOUNT_OUT_OF_RANGE: a sum does not fit 64 bits.
   * - VALUE_OUT_OF_RANGE: `discount_percentage` is not 0 to 100.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createTransaction(request: Input<CreateTransactionRequest>, options?: CallOptions): Promise<CreateTransactionResponse>;

  /**
   * Gets a transaction. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the transaction does not exist, or the account has no role for it.
   */
  getTransaction(request: Input<GetTransactionRequest>, options?: CallOptions): Promise<GetTransactionResponse>;

  /**
   * Records that a pending transaction was paid, which entitles its user from now on. Honors `If-Match`.
   *
   * A transaction that is already captured is returned unchanged.
   *
   * Errors by reason:
   * - TRANSACTION_STATE_FORBIDS: the transaction is not pending.
   * - ETAG_MISMATCH: the transaction has changed since the ETag in `If-Match`.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  captureTransaction(request: Input<CaptureTransactionRequest>, options?: CallOptions): Promise<CaptureTransactionResponse>;

  /**
   * Records that a captured transaction was refunded, which ends its entitlement. Honors `If-Match`.
   *
   * A transaction that is already refunded is returned unchanged.
   *
   * Errors by reason:
   * - TRANSACTION_STATE_FORBIDS: the transaction is not captured.
   * - ETAG_MISMATCH: the transaction has changed since the ETag in `If-Match`.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  refundTransaction(request: Input<RefundTransactionRequest>, options?: CallOptions): Promise<RefundTransactionResponse>;

  /**
   * Records that a pending transaction was cancelled. Honors `If-Match`.
   *
   * A transaction that is already cancelled is returned unchanged.
   *
   * Errors by reason:
   * - TRANSACTION_STATE_FORBIDS: the transaction is not pending.
   * - ETAG_MISMATCH: the transaction has changed since the ETag in `If-Match`.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  cancelTransaction(request: Input<CancelTransactionRequest>, options?: CallOptions): Promise<CancelTransactionResponse>;
}

/**
 * Manages banner collections: large images that a page shows in turn.
 */
export interface BannerCollectionClient {
  /**
   * Creates a banner collection.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the banner
   * collection.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `banner_collection_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `banner_collection_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - LINK_INVALID: a `link` is neither an absolute URL nor a path of the site.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - FORM_FACTOR_DUPLICATE: a banner has two images for one form factor.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createBannerCollection(request: Input<CreateBannerCollectionRequest>, options?: CallOptions): Promise<CreateBannerCollectionResponse>;

  /**
   * Gets a banner collection. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the banner collection does not exist, or the account has no role for it.
   */
  getBannerCollection(request: Input<GetBannerCollectionRequest>, options?: CallOptions): Promise<GetBannerCollectionResponse>;

  /**
   * Lists the banner collections of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listBannerCollections(request: Input<ListBannerCollectionsRequest>, options?: CallOptions): Promise<ListBannerCollectionsResponse>;

  /**
   * Updates the fields of a banner collection that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the banner collection has changed since the ETag in `If-Match`.
   * - ID_INVALID: the banner collection is to be created, and `banner_collection_id` has other characters, or
   *   more than 64.
   * - ALREADY_EXISTS: the banner collection is to be created, and its id is taken where the account has no role.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - LINK_INVALID: a `link` is neither an absolute URL nor a path of the site.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - FORM_FACTOR_DUPLICATE: a banner has two images for one form factor.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateBannerCollection(request: Input<UpdateBannerCollectionRequest>, options?: CallOptions): Promise<UpdateBannerCollectionResponse>;

  /**
   * Deletes a banner collection. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the banner collection has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the banner collection, and `force` is false.
   */
  deleteBannerCollection(request: Input<DeleteBannerCollectionRequest>, options?: CallOptions): Promise<DeleteBannerCollectionResponse>;
}

/**
 * Manages pages. PageComponentService manages their components.
 */
export interface PageClient {
  /**
   * Creates a page.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the page.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `page_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `page_id` is taken, or another page of the project has the slug.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - SLUG_INVALID: `slug` has other characters, or more than 200.
   * - PARAMETER_INVALID: a name in `parameters` is not allowed, or repeated.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createPage(request: Input<CreatePageRequest>, options?: CallOptions): Promise<CreatePageResponse>;

  /**
   * Gets a page. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the page does not exist, or the account has no role for it.
   */
  getPage(request: Input<GetPageRequest>, options?: CallOptions): Promise<GetPageResponse>;

  /**
   * Lists the pages of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listPages(request: Input<ListPagesRequest>, options?: CallOptions): Promise<ListPagesResponse>;

  /**
   * Updates the fields of a page that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the page has changed since the ETag in `If-Match`.
   * - ID_INVALID: the page is to be created, and `page_id` has other characters, or more than 64.
   * - SLUG_INVALID: `slug` has other characters, or more than 200.
   * - PARAMETER_INVALID: a name in `parameters` is not allowed, or repeated.
   * - LANGUAGE_INVALID: a key of a translated field is not a language tag.
   * - ALREADY_EXISTS: another page of the project has the slug.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updatePage(request: Input<UpdatePageRequest>, options?: CallOptions): Promise<UpdatePageResponse>;

  /**
   * Deletes a page. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the page has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the page, and `force` is false.
   */
  deletePage(request: Input<DeletePageRequest>, options?: CallOptions): Promise<DeletePageResponse>;

  /**
   * Reorders all components of a page in one step. Honors `If-Match` with the ETag of the page, which changes.
   *
   * Components with one `group_id` must stay adjacent.
   *
   * Errors by reason:
   * - ORDER_INCOMPLETE: the list omits, repeats or adds a component; the metadata lists these ids.
   * - GROUP_NOT_ADJACENT: components with one `group_id` are apart.
   * - PAGE_FILTER_LIMIT: the page would have two components of type `filter`.
   * - ETAG_MISMATCH: the page has changed since the ETag in `If-Match`.
   */
  reorderPageComponents(request: Input<ReorderPageComponentsRequest>, options?: CallOptions): Promise<ReorderPageComponentsResponse>;
}

/**
 * Reads the components of pages in the format of version 1, for clients that were built for it.
 */
export interface PageComponentV1Client {
  /**
   * Gets page components by their ids, in the format of version 1. New clients use version 2.
   *
   * Errors by reason:
   * - BATCH_SIZE_INVALID: the list is empty or has more than 100 ids.
   * - RESOURCE_NOT_FOUND: at least one component does not exist; the metadata has all missing ids.
   * - RESPONSE_TOO_LARGE: the components have more than 4 MiB together, as stored.
   */
  batchGetPageComponents(request: Input<BatchGetPageComponentsRequest>, options?: CallOptions): Promise<BatchGetPageComponentsResponse>;
}

/**
 * Manages the components of pages.
 */
export interface PageComponentClient {
  /**
   * Updates the fields of a page component that `update_mask` names, such as `name,rail`. Honors `If-Match`.
   *
   * The mask names a data member (`rail`) as a whole: send it complete. To replace the data member by another,
   * name the new member and `type` in the mask.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ONEOF_CONFLICT: two data members are in the mask, or the component is sent by both names.
   * - FIELD_REQUIRED: the component is not sent, or a player has neither an id nor a query.
   * - DATA_MEMBER_REQUIRED: the component would have no data member.
   * - TYPE_MISMATCH: `type` is not the name of the data member.
   * - ENVIRONMENT_UNKNOWN: `environments` has an unknown platform.
   * - HEIGHT_FRACTION_INVALID: `height_fraction` is out of range, or does not fit the size strategy.
   * - KQL_SYNTAX: a filter or a clause of `additional_filters` is not KQL.
   * - KQL_LIMIT: a filter is over a limit of KQL.
   * - QUERY_TOO_LARGE: the query of a player has more than 100 filters and strings with variables.
   * - VARIABLE_MALFORMED: the braces of a variable are malformed.
   * - ORDER_INVALID: `order` is not an order of the list.
   * - VALUE_INVALID: a filter or search of an inline grid has another type than in a rail.
   * - VALUE_OUT_OF_RANGE: a number is negative.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - REFERENCE_NOT_FOUND: the project does not have the banner collection.
   * - PAGE_FILTER_LIMIT: the page would have two components of type `filter`.
   * - GROUP_NOT_ADJACENT: components with one `group_id` would be apart.
   * - PAGE_TOO_LARGE: the components of the page would have more than 64 MiB together.
   * - ETAG_MISMATCH: the page component has changed since the ETag in `If-Match`.
   * - ID_INVALID: the page component is to be created, and `page_component_id` has other characters, or more
   *   than 64.
   * - ALREADY_EXISTS: the page component is to be created, and its id is taken where the account has no role.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updatePageComponent(request: Input<UpdatePageComponentRequest>, options?: CallOptions): Promise<UpdatePageComponentResponse>;

  /**
   * Creates a page component at a position of a page. The components from that position on move down by one.
   *
   * Without a `visibility` it is VISIBILITY_UNSPECIFIED, as the response shows: only preview keys see the page
   * component.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `page_component_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `page_component_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - PROJECT_DIFFERENT: the page belongs to another project.
   * - PAGE_COMPONENT_LIMIT: the page has 100 components.
   * - PAGE_TOO_LARGE: the components of the page have more than 64 MiB together.
   * - The errors of UpdatePageComponent for the component and its page.
   */
  createPageComponent(request: Input<CreatePageComponentRequest>, options?: CallOptions): Promise<CreatePageComponentResponse>;

  /**
   * Gets a page component. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the page component does not exist, or the account has no role for it.
   */
  getPageComponent(request: Input<GetPageComponentRequest>, options?: CallOptions): Promise<GetPageComponentResponse>;

  /**
   * Lists the page components of a page, in page order.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   */
  listPageComponents(request: Input<ListPageComponentsRequest>, options?: CallOptions): Promise<ListPageComponentsResponse>;

  /**
   * Deletes a page component. The components after it move up by one. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the page component has changed since the ETag in `If-Match`.
   */
  deletePageComponent(request: Input<DeletePageComponentRequest>, options?: CallOptions): Promise<DeletePageComponentResponse>;
}

/**
 * Renders what is not stored yet.
 */
export interface RenderingClient {
  /**
   * Renders a page component as a page would show it, without storing it: for editors, while they type.
   *
   * GetPageComponent of the Delivery API returns the same with a preview key. The headers `X-Preview-Time`,
   * `X-Preview-Audience` and `X-Preview-Country` count as they do there.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the account does not see the project, the project does not have the page or the
   *   release, or the object that the parameter `id` names does not exist.
   * - PAGE_SIZE_INVALID: `items_page_size` is negative.
   * - COMPONENT_DROPPED: a variable or reference of the component cannot be resolved. Metadata: `field`,
   *   `variable`, `reason`.
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ID_INVALID: `page_component_id` has other characters, or more than 64.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - DATA_MEMBER_REQUIRED: the component has no data member.
   * - TYPE_MISMATCH: `type` is not the name of the data member.
   * - ENVIRONMENT_UNKNOWN: `environments` has an unknown platform.
   * - HEIGHT_FRACTION_INVALID: `height_fraction` is out of range, or does not fit the size strategy.
   * - KQL_SYNTAX: a filter or a clause of `additional_filters` is not KQL.
   * - KQL_LIMIT: a filter is over a limit of KQL.
   * - QUERY_TOO_LARGE: the query of a player has more than 100 filters and strings with variables.
   * - VARIABLE_MALFORMED: the braces of a variable are malformed.
   * - ORDER_INVALID: `order` is not an order of the list.
   * - VALUE_INVALID: a filter or search of an inline grid has another type than in a rail.
   * - VALUE_OUT_OF_RANGE: a number is negative.
   * - IMAGE_URL_INVALID: the URL of an image is not absolute http or https.
   * - REFERENCE_NOT_FOUND: the project does not have the banner collection.
   * - PREVIEW_TIME_INVALID: `X-Preview-Time` is not a time from now to five years ahead.
   * - PREVIEW_AUDIENCE_INVALID: `X-Preview-Audience` is not `public`.
   * - COUNTRY_CODE_INVALID: `X-Preview-Country` is not an ISO 3166-1 alpha-2 code.
   * - RELEASE_ITEM_LIMIT: the releases that are read have too many drafts together.
   */
  renderPageComponent(request: Input<RenderPageComponentRequest>, options?: CallOptions): Promise<RenderPageComponentResponse>;
}

/**
 * Manages video protection rulesets.
 *
 * The response of a create or an update has the warnings about the ruleset in the header `Marquee-Warnings`: a
 * JSON array of `{code, message}`. Without warnings the header is omitted. Codes:
 * - SHADOWED: another ruleset always takes precedence.
 * - APPLIES_TO_NOTHING: the ruleset applies to no video.
 * - EMPTY_GEOGRAPHY: where the ruleset applies, it allows playback in no country.
 * - QUALITY_WITHOUT_DRM: `drm.hws_minimum_quality` is set, but `drm.enabled` is false.
 * - FILTER_MATCHES_NOTHING: the filter matches no event and no creative work now.
 */
export interface RulesetClient {
  /**
   * Creates a ruleset.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - ONEOF_CONFLICT: two members of a group are set.
   * - RULE_DEPENDENCY: a rule is true without a rule that it needs.
   * - COUNTRY_CODE_INVALID: a country is not an ISO 3166-1 alpha-2 code.
   * - DOMAIN_INVALID: a domain is not a host name without scheme, port and path.
   * - VALUE_OUT_OF_RANGE: `drm.hws_minimum_quality` is negative.
   * - TIME_WINDOW_INVALID: `target.content_end_time` is before `content_start_time`.
   * - KQL_SYNTAX: a filter is not KQL.
   * - KQL_LIMIT: a filter is over a limit of KQL.
   * - ID_INVALID: `ruleset_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `ruleset_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createRuleset(request: Input<CreateRulesetRequest>, options?: CallOptions): Promise<CreateRulesetResponse>;

  /**
   * Gets a ruleset. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the ruleset does not exist, or the account has no role for it.
   */
  getRuleset(request: Input<GetRulesetRequest>, options?: CallOptions): Promise<GetRulesetResponse>;

  /**
   * Lists the rulesets of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listRulesets(request: Input<ListRulesetsRequest>, options?: CallOptions): Promise<ListRulesetsResponse>;

  /**
   * Updates the fields of a ruleset that `update_mask` names. Honors `If-Match`.
   *
   * A group has several members, such as `applies_to_all`, `target` and `filter`:
   * - A member with a value replaces the stored member of its group.
   * - A member in the mask without a value clears itself, and no other stored member. A false boolean of a group
   *   counts as without a value.
   * - Two members of a group in the mask are rejected, unless all but one are false booleans.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - ETAG_MISMATCH: the ruleset has changed since the ETag in `If-Match`.
   * - ID_INVALID: the ruleset is to be created, and `ruleset_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the ruleset is to be created, and its id is taken where the account has no role.
   * - The errors of CreateRuleset.
   */
  updateRuleset(request: Input<UpdateRulesetRequest>, options?: CallOptions): Promise<UpdateRulesetResponse>;

  /**
   * Deletes a ruleset, which ends its enforcement. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the ruleset has changed since the ETag in `If-Match`.
   */
  deleteRuleset(request: Input<DeleteRulesetRequest>, options?: CallOptions): Promise<DeleteRulesetResponse>;

  /**
   * Decides as AuthorizePlayback would for a viewer and a video, and explains the decision. Acquires no stream.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the project does not have the video.
   * - COUNTRY_CODE_INVALID: `country_code` is not an ISO 3166-1 alpha-2 code.
   * - ADDRESS_INVALID: `ip_address` is neither IPv4 nor IPv6.
   * - PROTECTION_UNDECIDED: too many events or creative works show the video to find its rulesets.
   */
  simulateRulesets(request: Input<SimulateRulesetsRequest>, options?: CallOptions): Promise<SimulateRulesetsResponse>;
}

/**
 * Manages videos: live streams and recordings.
 */
export interface VideoClient {
  /**
   * Creates a video.
   *
   * Errors by reason:
   * - FIELD_REQUIRED: a required field is empty.
   * - FIELD_OUTPUT_ONLY: a field is set that only Marquee sets.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - ID_INVALID: `video_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: `video_id` is taken.
   * - REQUEST_ID_INVALID: `request_id` is not 1 to 128 visible ASCII characters.
   * - REQUEST_ID_REUSED: another request had this `request_id` within 24 hours.
   * - PLAYLIST_URL_INVALID: `playlist_url` is not an absolute http or https URL in a folder.
   * - DURATION_INVALID: `duration` is not positive.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  createVideo(request: Input<CreateVideoRequest>, options?: CallOptions): Promise<CreateVideoResponse>;

  /**
   * Gets a video. The response has its `ETag`.
   *
   * Errors by reason:
   * - RESOURCE_NOT_FOUND: the video does not exist, or the account has no role for it.
   */
  getVideo(request: Input<GetVideoRequest>, options?: CallOptions): Promise<GetVideoResponse>;

  /**
   * Lists the videos of a project.
   *
   * Errors by reason:
   * - PAGE_SIZE_INVALID: `page_size` is negative.
   * - PAGE_TOKEN_INVALID: `page_token` is not from a list with these arguments.
   * - KQL_SYNTAX: `filter` is not KQL.
   * - KQL_LIMIT: `filter` is over a limit of KQL.
   * - ORDER_INVALID: `order` is not an order of this list.
   */
  listVideos(request: Input<ListVideosRequest>, options?: CallOptions): Promise<ListVideosResponse>;

  /**
   * Updates the fields of a video that `update_mask` names. Honors `If-Match`.
   *
   * Errors by reason:
   * - UPDATE_MASK_INVALID: `update_mask` is empty or names a field that cannot be updated.
   * - WINDOW_INVALID: `availability` ends before it starts, or a time is before 1970.
   * - FIELD_REQUIRED: a required field is empty.
   * - ETAG_MISMATCH: the video has changed since the ETag in `If-Match`.
   * - ID_INVALID: the video is to be created, and `video_id` has other characters, or more than 64.
   * - ALREADY_EXISTS: the video is to be created, and its id is taken where the account has no role.
   * - PLAYLIST_URL_INVALID: `playlist_url` is not an absolute http or https URL in a folder.
   * - DURATION_INVALID: `duration` is not positive.
   * - QUOTA_EXCEEDED: the project or its organization would exceed a quota.
   */
  updateVideo(request: Input<UpdateVideoRequest>, options?: CallOptions): Promise<UpdateVideoResponse>;

  /**
   * Deletes a video. Honors `If-Match`.
   *
   * Errors by reason:
   * - ETAG_MISMATCH: the video has changed since the ETag in `If-Match`.
   * - STILL_REFERRED_TO: other resources refer to the video, and `force` is false.
   */
  deleteVideo(request: Input<DeleteVideoRequest>, options?: CallOptions): Promise<DeleteVideoResponse>;
}

/** The services of the Studio API. A call fails with a {@link MarqueeError}. */
export interface StudioClient {
  readonly action: ActionClient;
  readonly actionRun: ActionRunClient;
  readonly annotation: AnnotationClient;
  readonly annotationType: AnnotationTypeClient;
  readonly change: ChangeClient;
  readonly creativeWork: CreativeWorkClient;
  readonly entity: EntityClient;
  readonly event: EventClient;
  readonly record: RecordClient;
  readonly release: ReleaseClient;
  readonly webhook: WebhookClient;
  readonly accessToken: AccessTokenClient;
  readonly account: AccountClient;
  readonly audit: AuditClient;
  readonly auth: AuthClient;
  readonly binding: BindingClient;
  readonly organization: OrganizationClient;
  readonly project: ProjectClient;
  readonly projectKey: ProjectKeyClient;
  readonly role: RoleClient;
  readonly signInIntegration: SignInIntegrationClient;
  readonly staffSignIn: StaffSignInClient;
  readonly billingIntegration: BillingIntegrationClient;
  readonly entitlement: EntitlementClient;
  readonly offer: OfferClient;
  readonly transaction: TransactionClient;
  readonly bannerCollection: BannerCollectionClient;
  readonly page: PageClient;
  readonly pageComponentV1: PageComponentV1Client;
  readonly pageComponent: PageComponentClient;
  readonly rendering: RenderingClient;
  readonly ruleset: RulesetClient;
  readonly video: VideoClient;
  /** Carries the calls; for libraries that take one. */
  readonly transport: Transport;
}

/** Creates the clients of the services of the Studio API. */
export function createStudioServices(transport: Transport): StudioClient {
  return {
    action: createClient(ActionService, transport),
    actionRun: createClient(ActionRunService, transport),
    annotation: createClient(AnnotationService, transport),
    annotationType: createClient(AnnotationTypeService, transport),
    change: createClient(ChangeService, transport),
    creativeWork: createClient(CreativeWorkService, transport),
    entity: createClient(EntityService, transport),
    event: createClient(EventService, transport),
    record: createClient(RecordService, transport),
    release: createClient(ReleaseService, transport),
    webhook: createClient(WebhookService, transport),
    accessToken: createClient(AccessTokenService, transport),
    account: createClient(AccountService, transport),
    audit: createClient(AuditService, transport),
    auth: createClient(AuthService, transport),
    binding: createClient(BindingService, transport),
    organization: createClient(OrganizationService, transport),
    project: createClient(ProjectService, transport),
    projectKey: createClient(ProjectKeyService, transport),
    role: createClient(RoleService, transport),
    signInIntegration: createClient(SignInIntegrationService, transport),
    staffSignIn: createClient(StaffSignInService, transport),
    billingIntegration: createClient(BillingIntegrationService, transport),
    entitlement: createClient(EntitlementService, transport),
    offer: createClient(OfferService, transport),
    transaction: createClient(TransactionService, transport),
    bannerCollection: createClient(BannerCollectionService, transport),
    page: createClient(PageService, transport),
    pageComponentV1: createClient(PageComponentV1Service, transport),
    pageComponent: createClient(PageComponentService, transport),
    rendering: createClient(RenderingService, transport),
    ruleset: createClient(RulesetService, transport),
    video: createClient(VideoService, transport),
    transport,
  };
}
