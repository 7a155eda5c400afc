import type { Transport } from "@connectrpc/connect";
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
import { BillingIntegrationService } from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import { EntitlementService } from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { BannerCollectionService } from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService as PageComponentV1Service } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { createClient } from "./client.ts";
import type {
  AccessTokenClient,
  AccountClient,
  ActionClient,
  ActionRunClient,
  AnnotationClient,
  AnnotationTypeClient,
  AuditClient,
  AuthClient,
  BannerCollectionClient,
  BillingIntegrationClient,
  BindingClient,
  ChangeClient,
  CreativeWorkClient,
  EntitlementClient,
  EntityClient,
  EventClient,
  OfferClient,
  OrganizationClient,
  PageClient,
  PageComponentClient,
  PageComponentV1Client,
  ProjectClient,
  ProjectKeyClient,
  RecordClient,
  ReleaseClient,
  RoleClient,
  RulesetClient,
  SignInIntegrationClient,
  TransactionClient,
  VideoClient,
  WebhookClient,
} from "./studio-services.ts";
import { createStudioTransport, type StudioOptions } from "./transport.ts";

export * from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
// The webhook of an action is another message than the resource of this name.
export {
  type Webhook as ActionWebhook,
  WebhookSchema as ActionWebhookSchema,
} from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
export * from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
export * from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
export * from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
export * from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
export * from "../../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
export * from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
export * from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
export * from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
export * from "../../../gen/svc/studio/cms/change/v1/change_service_pb.ts";
export * from "../../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
export * from "../../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
export * from "../../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
export * from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
export * from "../../../gen/svc/studio/cms/release/v1/release_item_pb.ts";
export * from "../../../gen/svc/studio/cms/release/v1/release_service_pb.ts";
export * from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
export { type Webhook, WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
export * from "../../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
export * from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
export * from "../../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
export * from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
export * from "../../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
export * from "../../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
export * from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
export * from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
export * from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
export * from "../../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
export * from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
export * from "../../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
export * from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
export * from "../../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
export * from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
export * from "../../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
export * from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
export * from "../../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
export * from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
export * from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_event_pb.ts";
export * from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_pb.ts";
export * from "../../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
export * from "../../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
export * from "../../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
export * from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
export * from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
export * from "../../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
export * from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
export * from "../../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/border_radius_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/calendar_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/filter_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/offers_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/player_pb.ts";
export * from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
export * from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
export * from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
export * from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
export * from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
export * from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
// Not `Record`, the name of a type of TypeScript.
export {
  type BilledTransaction,
  BilledTransactionSchema,
  type PlacedPageComponent,
  PlacedPageComponentSchema,
  type Record as TransferRecord,
  RecordSchema as TransferRecordSchema,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
export * from "../../../gen/svc/type/v1/release_pb.ts";
export * from "../../../gen/svc/type/v1/visibility_pb.ts";
export type * from "./studio-services.ts";
export { createStudioTransport, type StudioOptions };

/** The services of the Studio API. A call fails with a {@link MarqueeError}. */
export interface StudioClient {
  readonly action: ActionClient;
  readonly actionRun: ActionRunClient;
  readonly annotation: AnnotationClient;
  readonly annotationType: AnnotationTypeClient;
  readonly creativeWork: CreativeWorkClient;
  readonly entity: EntityClient;
  readonly event: EventClient;
  readonly change: ChangeClient;
  readonly release: ReleaseClient;
  readonly record: RecordClient;
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
  readonly billingIntegration: BillingIntegrationClient;
  readonly entitlement: EntitlementClient;
  readonly offer: OfferClient;
  readonly transaction: TransactionClient;
  readonly bannerCollection: BannerCollectionClient;
  readonly page: PageClient;
  readonly pageComponentV1: PageComponentV1Client;
  readonly pageComponent: PageComponentClient;
  readonly ruleset: RulesetClient;
  readonly video: VideoClient;
  /** Carries the calls; for libraries that take one. */
  readonly transport: Transport;
}

/**
 * Creates a client. It keeps no connection open, so there is nothing to close. Throws a `TypeError` for an option that
 * is missing or of the wrong kind.
 */
export function createStudioClient(options: StudioOptions): StudioClient {
  const transport = createStudioTransport(options);
  return {
    action: createClient(ActionService, transport),
    actionRun: createClient(ActionRunService, transport),
    annotation: createClient(AnnotationService, transport),
    annotationType: createClient(AnnotationTypeService, transport),
    creativeWork: createClient(CreativeWorkService, transport),
    entity: createClient(EntityService, transport),
    event: createClient(EventService, transport),
    change: createClient(ChangeService, transport),
    release: createClient(ReleaseService, transport),
    record: createClient(RecordService, transport),
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
    billingIntegration: createClient(BillingIntegrationService, transport),
    entitlement: createClient(EntitlementService, transport),
    offer: createClient(OfferService, transport),
    transaction: createClient(TransactionService, transport),
    bannerCollection: createClient(BannerCollectionService, transport),
    page: createClient(PageService, transport),
    pageComponentV1: createClient(PageComponentV1Service, transport),
    pageComponent: createClient(PageComponentService, transport),
    ruleset: createClient(RulesetService, transport),
    video: createClient(VideoService, transport),
    transport,
  };
}
