import type { DescService } from "@bufbuild/protobuf";
import { createServiceImplSpec, type ServiceImpl, type ServiceImplSpec } from "@connectrpc/connect";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { AuthService as DeliveryAuthService } from "../../gen/svc/cda/iam/auth/v1/auth_service_pb.ts";
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
import type { ViewerTokens } from "../auth/viewer-token.ts";
import type { PageTokens } from "../domain/page-token.ts";
import type { Store } from "../storage/store.ts";
import { createAuthHandlers } from "./cda/auth.ts";
import { createEventHandlers } from "./cda/event.ts";
import { createAnnotationHandlers } from "./studio/annotation.ts";
import { createAnnotationTypeHandlers } from "./studio/annotation-type.ts";
import { createPageComponentHandlers } from "./studio/page-component.ts";
import { createPageComponentV1Handlers } from "./studio/page-component-v1.ts";
import { createPermissionHandlers } from "./studio/permission.ts";
import { createRulesetHandlers } from "./studio/ruleset.ts";
import { createSignInIntegrationHandlers } from "./studio/sign-in-integration.ts";
import { createTransactionHandlers } from "./studio/transaction.ts";

/** What the handlers stand on. */
export interface HandlerDependencies {
  readonly store: Store;
  readonly pageTokens: PageTokens;
  readonly identities: IdentityVerifier;
  readonly viewerTokens: ViewerTokens;
  readonly createId: () => string;
}

/** The services of the product by interface. */
export interface Services {
  readonly studio: readonly ServiceImplSpec[];
  readonly delivery: readonly ServiceImplSpec[];
}

/** Puts every service together with its handlers; a method without an access option throws. */
export function createServices(dependencies: HandlerDependencies): Services {
  const { store, pageTokens, identities, viewerTokens, createId } = dependencies;
  return {
    studio: [
      implement(AnnotationService, createAnnotationHandlers(store.annotations)),
      implement(AnnotationTypeService, createAnnotationTypeHandlers(store.annotationTypes)),
      implement(AuthService, createPermissionHandlers(store.access)),
      implement(PageComponentService, createPageComponentHandlers(store.pageComponents)),
      implement(PageComponentV1Service, createPageComponentV1Handlers(store.pageComponents)),
      implement(RulesetService, createRulesetHandlers(store.rulesets, createId)),
      implement(
        SignInIntegrationService,
        createSignInIntegrationHandlers(store.signInIntegrations),
      ),
      implement(TransactionService, createTransactionHandlers(store.transactions, pageTokens)),
    ],
    delivery: [
      implement(
        DeliveryAuthService,
        createAuthHandlers(store.signInIntegrations, identities, viewerTokens),
      ),
      implement(EventService, createEventHandlers(store.events, pageTokens)),
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
