import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import type { Marquee } from "../harness/marquee.ts";
import type { JsonMessage } from "./methods.ts";
import { annotationSamples } from "./samples/annotations.ts";
import { cmsSamples } from "./samples/cms.ts";
import { iamSamples } from "./samples/iam.ts";
import { monetizationSamples } from "./samples/monetization.ts";
import { ottSamples } from "./samples/ott.ts";
import { streamingSamples } from "./samples/streaming.ts";

/** A request of one method that succeeds, and what others get who send the same. */
export interface MethodSample {
  readonly message: JsonMessage | ((marquee: Marquee) => Promise<JsonMessage>);
  /** Makes the Cookie header that comes along; absent: none does. */
  readonly cookie?: (marquee: Marquee) => Promise<string>;
  /** The key of the resource that the permission is needed on; absent where none is. */
  readonly resource?: string;
  /** True where the role `viewer` lacks the permission. */
  readonly isWrite?: boolean;
  /** What the answer to another tenant's credentials holds and lacks, where it is not NOT_FOUND. */
  readonly foreign?: { readonly shows: string; readonly hides: string };
}

const identityToken = async ({ identityProvider }: Marquee): Promise<JsonMessage> => ({
  vendorIdToken: await identityProvider.sign({
    subject: "user-1",
    audience: "marquee-demo",
    issueTime: new Date(),
    expireTime: new Date(Date.now() + 60_000),
  }),
});

/** A ruleset that is there, also when the first of them has been deleted. */
const deletableRuleset = async ({ store }: Marquee): Promise<JsonMessage> => {
  const ids = (await store.rulesets.list("worldcup")).map(({ id }) => id);
  const rulesetId = ["ruleset-opening-2018", "ruleset-finals"].find((id) => ids.includes(id));
  return { rulesetId };
};

const viewerCookie = async ({ store }: Marquee): Promise<string> => {
  const now = new Date();
  const viewerTokens = await openViewerTokens(store, now);
  const viewer = { projectId: "worldcup", userId: "user-worldcup-0001" };
  const token = await viewerTokens.sign(viewer, now, new Date(now.getTime() + 60_000));
  return `viewer_token=${token}`;
};

/** A sample of every method under `svc.`; a method without one fails `access.test.ts`. */
export const methodSamples: Readonly<Record<string, MethodSample>> = {
  ...iamSamples,
  ...annotationSamples,
  ...cmsSamples,
  ...ottSamples,
  ...streamingSamples,
  "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations": {
    message: { videoId: "video-match-2026-104" },
    foreign: { shows: "{}", hides: "worldcup" },
  },
  "svc.cda.cms.creative_work.v1.CreativeWorkService/GetCreativeWork": {
    message: { id: "highlights-2026-104" },
  },
  "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks": {
    message: { pageSize: 3 },
    foreign: { shows: "sandbox-recap", hides: "worldcup" },
  },
  "svc.cda.cms.entity.v1.EntityService/GetEntity": { message: { id: "team-esp" } },
  "svc.cda.cms.entity.v1.EntityService/ListEntities": {
    message: { pageSize: 3 },
    foreign: { shows: "sandbox-team", hides: "worldcup" },
  },
  "svc.cda.cms.event.v1.EventService/GetEvent": { message: { id: "match-2026-104" } },
  "svc.cda.cms.event.v1.EventService/ListEvents": {
    message: { pageSize: 3 },
    foreign: { shows: "sandbox-match-1", hides: "worldcup" },
  },
  "svc.cda.iam.auth.v1.AuthService/ExchangeToken": {
    message: identityToken,
    foreign: { shows: "AUDIENCE_NOT_ALLOWED", hides: "expireTime" },
  },
  "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements": {
    message: { pageSize: 2 },
    cookie: viewerCookie,
    foreign: { shows: "AUDIENCE_NOT_ALLOWED", hides: "worldcup" },
  },
  "svc.cda.monetization.offer.v1.OfferService/ListOffers": {
    message: { pageSize: 2 },
    foreign: { shows: "sandbox-offer-day", hides: "worldcup" },
  },
  "svc.cda.ott.banner_collection.v2.BannerCollectionService/GetBannerCollection": {
    message: { id: "banners-home" },
  },
  "svc.cda.ott.page.v1.PageService/GetPage": {
    message: { id: "page-match", parameters: { id: "match-2026-104" }, includeItems: true },
  },
  "svc.cda.ott.page.v1.PageService/ListPages": {
    message: { pageSize: 3 },
    foreign: { shows: "sandbox-page-home", hides: "worldcup" },
  },
  "svc.cda.ott.page_component.v2.PageComponentService/GetPageComponent": {
    message: { id: "rail-home-matches", session: { season: ["2026"] }, includeItems: true },
  },
  "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems": {
    message: { id: "calendar-home", day: "2026-07-19", timeZone: "America/New_York" },
  },
  "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback": {
    message: { videoId: "video-match-2026-104", sessionKey: "player-1" },
  },
  "svc.cda.streaming.playback.v1.PlaybackService/KeepPlayback": {
    message: { videoId: "video-match-2026-104", sessionKey: "player-1" },
  },
  "svc.cda.streaming.playback.v1.PlaybackService/StopPlayback": {
    message: { sessionKey: "player-1" },
    foreign: { shows: "{}", hides: "worldcup" },
  },
  "svc.studio.annotations.annotation.v1.AnnotationService/UpdateAnnotation": {
    message: {
      annotationId: "goal-2026-104-1",
      annotation: { timerLabel: "changed" },
      updateMask: "timerLabel",
    },
    resource: "goal-2026-104-1/worldcup/annotation",
    isWrite: true,
  },
  "svc.studio.annotations.annotation_type.v1.AnnotationTypeService/GetActionConfiguration": {
    message: { annotationTypeId: "type-goal" },
    resource: "type-goal/worldcup/annotation_type",
  },
  "svc.studio.iam.auth.v1.AuthService/TestPermissions": {
    message: { resourceKey: "worldcup/worldcup/project", permissions: ["iam.sso.update"] },
    foreign: { shows: "{", hides: "iam.sso.update" },
  },
  "svc.studio.iam.sign_in_integration.v1.SignInIntegrationService/GetSignInIntegration": {
    message: { projectId: "worldcup" },
    resource: "worldcup/worldcup/project",
  },
  "svc.studio.iam.sign_in_integration.v1.SignInIntegrationService/UpdateSignInIntegration": {
    message: { projectId: "worldcup", audiences: ["marquee-demo"] },
    resource: "worldcup/worldcup/project",
    isWrite: true,
  },
  ...monetizationSamples,
  "svc.studio.ott.page_component.v1.PageComponentService/BatchGetPageComponents": {
    message: { pageComponentIds: ["rail-home-matches", "banner-home"] },
    resource: "rail-home-matches/worldcup/page_component",
  },
  "svc.studio.ott.page_component.v2.PageComponentService/UpdatePageComponent": {
    message: {
      pageComponentId: "banner-home",
      pageComponentUpdate: { name: "changed" },
      updateMask: "name",
    },
    resource: "banner-home/worldcup/page_component",
    isWrite: true,
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/CreateRuleset": {
    message: { videoProtectionRuleset: { projectId: "worldcup", name: "changed" } },
    resource: "worldcup/worldcup/project",
    isWrite: true,
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/DeleteRuleset": {
    message: deletableRuleset,
    resource: "ruleset-opening-2018/worldcup/ruleset",
    isWrite: true,
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/GetRuleset": {
    message: { rulesetId: "ruleset-default" },
    resource: "ruleset-default/worldcup/ruleset",
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/ListRulesets": {
    message: { projectId: "worldcup", pageSize: 2 },
    resource: "worldcup/worldcup/project",
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/SimulateRulesets": {
    message: { projectId: "worldcup", videoId: "video-match-2026-104" },
    resource: "worldcup/worldcup/project",
  },
  "svc.studio.streaming.ruleset.v2.RulesetService/UpdateRuleset": {
    message: {
      rulesetId: "ruleset-default",
      videoProtectionRuleset: { name: "changed" },
      updateMask: "name",
    },
    resource: "ruleset-default/worldcup/ruleset",
    isWrite: true,
  },
};
