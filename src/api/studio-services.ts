import { ActionService } from "../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import { ActionRunService } from "../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { AnnotationService } from "../../gen/svc/studio/annotations/annotation/v1/annotation_service_pb.ts";
import { AnnotationTypeService } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_service_pb.ts";
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
import { TransactionService } from "../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { PageService } from "../../gen/svc/studio/ott/page/v1/page_service_pb.ts";
import { PageComponentService as PageComponentV1Service } from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RulesetService } from "../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { KIND_NAMES, type KindName, kindOf } from "../domain/kinds.ts";
import type { Store } from "../storage/store.ts";
import { implement, type Service } from "./steps/service.ts";
import type { StudioCall } from "./steps/studio-call.ts";
import { createAccessTokenHandlers } from "./studio/access-token.ts";
import { createAccountHandlers } from "./studio/account.ts";
import { createActionHandlers } from "./studio/action.ts";
import { createActionRunHandlers } from "./studio/action-run.ts";
import { createAnnotationHandlers } from "./studio/annotation.ts";
import { createAnnotationTypeHandlers } from "./studio/annotation-type.ts";
import { createAuditHandlers } from "./studio/audit.ts";
import { createBillingIntegrationHandlers } from "./studio/billing-integration.ts";
import { createBindingHandlers } from "./studio/binding.ts";
import { createEntitlementHandlers } from "./studio/entitlement.ts";
import { createOrganizationHandlers } from "./studio/organization.ts";
import { createPageHandlers } from "./studio/page.ts";
import { createPageComponentHandlers } from "./studio/page-component.ts";
import { createPageComponentV1Handlers } from "./studio/page-component-v1.ts";
import { createPermissionHandlers } from "./studio/permission.ts";
import { createProjectHandlers } from "./studio/project.ts";
import { createProjectKeyHandlers } from "./studio/project-key.ts";
import { Resource, type ResourceParts, type ResourceType } from "./studio/resource.ts";
import { createRoleHandlers } from "./studio/role.ts";
import { createRulesetHandlers } from "./studio/ruleset.ts";
import type { Simulate } from "./studio/ruleset-simulation.ts";
import { createSignInIntegrationHandlers } from "./studio/sign-in-integration.ts";
import { standardMethods } from "./studio/standard-methods.ts";
import { createTransactionHandlers } from "./studio/transaction.ts";
import { createWebhookHandlers } from "./studio/webhook.ts";

/** The dependencies of the management handlers. */
export interface StudioParts extends ResourceParts {
  readonly store: Store;
  /** Generates the secret that signs webhooks. */
  readonly createSecret: () => string;
  /** Announces runs that are to be sent as soon as a call commits. */
  readonly onRuns: () => void;
  readonly simulate: Simulate;
}

/** Combines every service of the management interface with its handlers. */
export function createStudioServices(dependencies: StudioParts): Service<StudioCall>[] {
  const { store, pageTokens, createId, createSecret, checkTarget, onRuns, simulate } = dependencies;
  const parts = { pageTokens, createId, checkTarget };
  return [
    ...KIND_NAMES.flatMap((name) => implementStandard(name, parts)),
    implement(AccessTokenService, createAccessTokenHandlers(parts)),
    implement(AccountService, createAccountHandlers(parts)),
    implement(ActionRunService, createActionRunHandlers({ ...parts, onRuns })),
    implement(ActionService, createActionHandlers({ ...parts, createSecret })),
    implement(AnnotationService, createAnnotationHandlers({ ...parts, onRuns })),
    implement(AnnotationTypeService, createAnnotationTypeHandlers(parts)),
    implement(AuditService, createAuditHandlers(pageTokens)),
    implement(AuthService, createPermissionHandlers(store.access)),
    implement(BillingIntegrationService, createBillingIntegrationHandlers(createSecret)),
    implement(BindingService, createBindingHandlers(parts)),
    implement(EntitlementService, createEntitlementHandlers(parts)),
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
    implement(WebhookService, createWebhookHandlers({ ...parts, createSecret })),
  ];
}

/** Combines the service of a kind that has only standard methods with its handlers; none for any other kind. */
function implementStandard(name: KindName, parts: ResourceParts): Service<StudioCall>[] {
  const { service } = kindOf(name);
  if (service === undefined) return [];
  const resource = new Resource(name as ResourceType, parts);
  return [implement(service, standardMethods(service, resource))];
}
