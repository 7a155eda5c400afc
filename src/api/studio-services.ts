import { ActionService } from "../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import { ActionRunService } from "../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { AnnotationService } from "../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { AnnotationTypeService } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
import { CreativeWorkService } from "../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { WebhookService } from "../../gen/svc/studio/cms/webhook/v1/webhook_service_pb.ts";
import { AccessTokenService } from "../../gen/svc/studio/iam/access_token/v1/access_token_service_pb.ts";
import { AccountService } from "../../gen/svc/studio/iam/account/v1/account_service_pb.ts";
import { AuditService } from "../../gen/svc/studio/iam/audit/v1/audit_service_pb.ts";
import { AuthService } from "../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { BindingService } from "../../gen/svc/studio/iam/binding/v1/binding_service_pb.ts";
import { OrganizationService } from "../../gen/svc/studio/iam/organization/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/svc/studio/iam/project/v1/project_service_pb.ts";
import { ProjectKeyService } from "../../gen/svc/studio/iam/project_key/v1/project_key_service_pb.ts";
import { RoleService } from "../../gen/svc/studio/iam/role/v1/role_service_pb.ts";
import { SignInIntegrationService } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { BillingIntegrationService } from "../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_service_pb.ts";
import { EntitlementService } from "../../gen/svc/studio/monetization/entitlement/v1/entitlement_service_pb.ts";
import { OfferService } from "../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { TransactionService } from "../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { BannerCollectionService } from "../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageService } from "../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService as PageComponentV1Service } from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import type { Store } from "../storage/store.ts";
import { implement, type Service } from "./steps/service.ts";
import type { StudioCall } from "./steps/studio-call.ts";
import { createAccessTokenHandlers } from "./studio/access-token.ts";
import { createAccountHandlers } from "./studio/account.ts";
import { type ActionParts, createActionHandlers } from "./studio/action.ts";
import { type ActionRunParts, createActionRunHandlers } from "./studio/action-run.ts";
import { createAnnotationHandlers } from "./studio/annotation.ts";
import { createAnnotationTypeHandlers } from "./studio/annotation-type.ts";
import { createAuditHandlers } from "./studio/audit.ts";
import { createBannerCollectionHandlers } from "./studio/banner-collection.ts";
import { createBillingIntegrationHandlers } from "./studio/billing-integration.ts";
import { createBindingHandlers } from "./studio/binding.ts";
import { createCreativeWorkHandlers } from "./studio/creative-work.ts";
import { createEntitlementHandlers } from "./studio/entitlement.ts";
import { createEntityHandlers } from "./studio/entity.ts";
import { createEventHandlers } from "./studio/event.ts";
import { createOfferHandlers } from "./studio/offer.ts";
import { createOrganizationHandlers } from "./studio/organization.ts";
import { createPageHandlers } from "./studio/page.ts";
import { createPageComponentHandlers } from "./studio/page-component.ts";
import { createPageComponentV1Handlers } from "./studio/page-component-v1.ts";
import { createPermissionHandlers } from "./studio/permission.ts";
import { createProjectHandlers } from "./studio/project.ts";
import { createProjectKeyHandlers } from "./studio/project-key.ts";
import type { ResourceParts } from "./studio/resource.ts";
import { createRoleHandlers } from "./studio/role.ts";
import { createRulesetHandlers } from "./studio/ruleset.ts";
import type { Simulate } from "./studio/ruleset-simulation.ts";
import { createSignInIntegrationHandlers } from "./studio/sign-in-integration.ts";
import { createTransactionHandlers } from "./studio/transaction.ts";
import { createVideoHandlers } from "./studio/video.ts";
import { createWebhookHandlers } from "./studio/webhook.ts";

/** The dependencies of the management handlers. */
export interface StudioParts extends ResourceParts {
  readonly store: Store;
  /** Generates the secret that signs webhooks. */
  readonly createSecret: () => string;
  readonly actions: Pick<ActionParts, "checkTarget"> & Pick<ActionRunParts, "onRuns">;
  readonly simulate: Simulate;
}

/** Combines every service of the management interface with its handlers. */
export function createStudioServices(dependencies: StudioParts): Service<StudioCall>[] {
  const { store, pageTokens, createId, createSecret, actions, simulate } = dependencies;
  const parts = { pageTokens, createId };
  return [
    implement(AccessTokenService, createAccessTokenHandlers(parts)),
    implement(AccountService, createAccountHandlers(parts)),
    implement(ActionRunService, createActionRunHandlers({ ...parts, ...actions })),
    implement(ActionService, createActionHandlers({ ...parts, ...actions, createSecret })),
    implement(AnnotationService, createAnnotationHandlers({ ...parts, ...actions })),
    implement(AnnotationTypeService, createAnnotationTypeHandlers(parts)),
    implement(AuditService, createAuditHandlers(pageTokens)),
    implement(AuthService, createPermissionHandlers(store.access)),
    implement(BannerCollectionService, createBannerCollectionHandlers(parts)),
    implement(BillingIntegrationService, createBillingIntegrationHandlers(createSecret)),
    implement(BindingService, createBindingHandlers(parts)),
    implement(CreativeWorkService, createCreativeWorkHandlers(parts)),
    implement(EntitlementService, createEntitlementHandlers(parts)),
    implement(EntityService, createEntityHandlers(parts)),
    implement(EventService, createEventHandlers(parts)),
    implement(OfferService, createOfferHandlers(parts)),
    implement(OrganizationService, createOrganizationHandlers(parts)),
    implement(PageComponentService, createPageComponentHandlers(parts)),
    implement(PageComponentV1Service, createPageComponentV1Handlers()),
    implement(PageService, createPageHandlers(parts)),
    implement(ProjectKeyService, createProjectKeyHandlers(parts)),
    implement(ProjectService, createProjectHandlers(parts)),
    implement(RoleService, createRoleHandlers(parts)),
    implement(RulesetService, createRulesetHandlers({ ...parts, simulate })),
    implement(SignInIntegrationService, createSignInIntegrationHandlers()),
    implement(TransactionService, createTransactionHandlers(parts)),
    implement(VideoService, createVideoHandlers(parts)),
    implement(WebhookService, createWebhookHandlers({ ...parts, ...actions, createSecret })),
  ];
}
