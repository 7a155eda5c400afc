import type { DescService } from "@bufbuild/protobuf";
import type { IdentityVerifier } from "../auth/identity-token.ts";
import type { PlaylistUrls } from "../auth/playlist-url.ts";
import type { ViewerTokens } from "../auth/viewer-token.ts";
import { isDelivered, KIND_NAMES, type KindName, type KindsWith, kindOf } from "../domain/kinds.ts";
import type { PlaybackLimits } from "../domain/protection/playback-limits.ts";
import type { Store } from "../storage/contract/store.ts";
import { createAnnotationService as createDeliveryAnnotationService } from "./delivery/annotation.ts";
import { createAuthService } from "./delivery/auth.ts";
import { ComponentItems } from "./delivery/component-items.ts";
import {
  createCreativeWorkService,
  createEntityService,
  createEventService,
} from "./delivery/content.ts";
import { ContentLists } from "./delivery/content-list.ts";
import { createEntitlementService as createDeliveryEntitlementService } from "./delivery/entitlement.ts";
import { createPageService as createDeliveryPageService } from "./delivery/page.ts";
import { createPageComponentService as createDeliveryPageComponentService } from "./delivery/page-component.ts";
import { PageRenderer } from "./delivery/page-renderer.ts";
import { createPlaybackService, Playbacks } from "./delivery/playback.ts";
import { ProtectedVideos } from "./delivery/protected-video.ts";
import { createDeliveredService } from "./delivery/standard-methods.ts";
import type { ViewerPlaces } from "./delivery/viewer-place.ts";
import { Viewers } from "./delivery/viewers.ts";
import type { Services } from "./pipeline.ts";
import type { ProjectReads } from "./reads/project-reads.ts";
import type { Previews } from "./steps/preview.ts";
import type { StudioService } from "./steps/service.ts";
import { createAccessTokenService } from "./studio/access-token.ts";
import { createAccountService } from "./studio/account.ts";
import { createActionService } from "./studio/action.ts";
import { createActionRunService } from "./studio/action-run.ts";
import { createAnnotationService } from "./studio/annotation.ts";
import { createAnnotationTypeService } from "./studio/annotation-type.ts";
import { createAuditService } from "./studio/audit.ts";
import { createBillingIntegrationService } from "./studio/billing-integration.ts";
import { createBindingService } from "./studio/binding.ts";
import { createChangeService } from "./studio/change.ts";
import { createEntitlementService } from "./studio/entitlement.ts";
import { createOrganizationService } from "./studio/organization.ts";
import { createPageService } from "./studio/page.ts";
import { createPageComponentService } from "./studio/page-component.ts";
import { createPageComponentV1Service } from "./studio/page-component-v1.ts";
import { createPermissionService } from "./studio/permission.ts";
import { createProjectService } from "./studio/project.ts";
import { createProjectKeyService } from "./studio/project-key.ts";
import { createRecordService } from "./studio/record.ts";
import { createReleaseService } from "./studio/release.ts";
import { createRenderingService } from "./studio/rendering.ts";
import { Resource, type StudioDependencies } from "./studio/resource.ts";
import { createRoleService } from "./studio/role.ts";
import { createRulesetService } from "./studio/ruleset.ts";
import { RulesetSimulation } from "./studio/ruleset-simulation.ts";
import { createSignInIntegrationService } from "./studio/sign-in-integration.ts";
import { createStaffSignInService } from "./studio/staff-sign-in.ts";
import { implementKind } from "./studio/standard-methods.ts";
import { createTransactionService } from "./studio/transaction.ts";
import { createWebhookService } from "./studio/webhook.ts";

interface ServiceDependencies extends Omit<StudioDependencies, "simulation"> {
  readonly store: Store;
  /** The reads of the current version. */
  readonly reads: ProjectReads;
  readonly previews: Previews;
  readonly identities: IdentityVerifier;
  readonly viewerTokens: ViewerTokens;
  readonly places: ViewerPlaces;
  readonly playlistUrls: Pick<PlaylistUrls, "sign">;
  readonly playbackLimits: PlaybackLimits;
}

/**
 * Combines every service with its handlers. Throws for a method without a valid access option, and for a write without
 * the fields of a write.
 */
export function createServices(dependencies: ServiceDependencies): Services {
  const { store, reads, pageTokens, places, viewerTokens, createId } = dependencies;
  const { identities, playbackLimits } = dependencies;
  const protectedVideos = new ProtectedVideos(store, reads.rulesets);
  const simulation = new RulesetSimulation(store, protectedVideos, places);
  const studio = { ...dependencies, simulation };
  const contents = new ContentLists({ pageTokens, places });
  const items = new ComponentItems(contents, pageTokens);
  const renderer = new PageRenderer(items);
  const viewers = new Viewers(viewerTokens, places);
  const playbacks = new Playbacks({ ...dependencies, protectedVideos, viewers });
  return {
    studio: [
      ...KIND_NAMES.flatMap((name) => implementStandard(name, studio)),
      ...STUDIO_SERVICES.map((create) => create(studio)),
      createRenderingService({ ...dependencies, renderer }),
    ],
    delivery: [
      ...KIND_NAMES.filter(isDelivered).map((kind) => createDeliveredService(kind, pageTokens)),
      createDeliveryAnnotationService(pageTokens),
      createCreativeWorkService(contents),
      createEntityService(contents),
      createEventService(contents),
      createDeliveryPageService(renderer, pageTokens),
      createDeliveryPageComponentService(renderer, items),
      createAuthService(store.signInIntegrations, identities, viewerTokens),
      createDeliveryEntitlementService(store.entitlements, pageTokens, viewers),
      createPlaybackService(playbacks, playbackLimits, createId),
    ],
  };
}

/** The services of the Studio API with methods of their own. */
const STUDIO_SERVICES = [
  createAccessTokenService,
  createAccountService,
  createActionRunService,
  createActionService,
  createAnnotationService,
  createAnnotationTypeService,
  createAuditService,
  createBillingIntegrationService,
  createBindingService,
  createChangeService,
  createEntitlementService,
  createOrganizationService,
  createPageComponentService,
  createPageComponentV1Service,
  createPageService,
  createPermissionService,
  createProjectKeyService,
  createProjectService,
  createRecordService,
  createReleaseService,
  createRoleService,
  createRulesetService,
  createSignInIntegrationService,
  createStaffSignInService,
  createTransactionService,
  createWebhookService,
];

/** Implements the service of a kind that has only standard methods; of other kinds none. */
function implementStandard(name: KindName, dependencies: StudioDependencies): StudioService[] {
  const { service } = kindOf(name);
  if (service === undefined) return [];
  const resource = new Resource(name as KindsWith<"service", DescService>, dependencies);
  return [implementKind(service, resource, {})];
}
