import type { JsonMessage } from "./methods.ts";

/** What a resource is made of, and how it is changed, to walk through its life. */
export interface ResourceBody {
  /** The resource in protobuf JSON with lowerCamelCase names, without its id. */
  readonly resource: JsonMessage;
  /** Fields of the request beside the resource and its id. */
  readonly extra?: JsonMessage;
  /** What is asked for beside the page's size: what the list is of. */
  readonly list: JsonMessage;
  /** A field with another value; absent where nothing can be changed. */
  readonly change?: JsonMessage;
  /** What is asked for to delete it; absent: its id. */
  readonly deletion?: JsonMessage;
}

const inWorldCup = { projectId: "worldcup" };
const inOrganization = { organizationId: "org-worldcup" };

/** A body of every resource that can be made, by the service that makes it. */
export const resourceBodies: Readonly<Record<string, ResourceBody>> = {
  "svc.studio.annotations.action.v1.ActionService": {
    resource: { ...inWorldCup, name: "Tell", webhook: { url: "https://hooks.example.com/goal" } },
    list: inWorldCup,
    change: { webhook: { url: "https://hooks.example.com/other" } },
  },
  "svc.studio.annotations.annotation.v1.AnnotationService": {
    resource: { ...inWorldCup, typeId: "type-goal", offset: "75.500s", timerLabel: "2'" },
    list: inWorldCup,
    change: { timerLabel: "3'" },
  },
  "svc.studio.annotations.annotation_type.v1.AnnotationTypeService": {
    resource: { ...inWorldCup, name: "corner" },
    list: inWorldCup,
    change: { name: "corner kick" },
  },
  "svc.studio.cms.creative_work.v1.CreativeWorkService": {
    resource: { ...inWorldCup, title: { en: "A film" }, releaseTime: "2026-07-01T00:00:00Z" },
    list: inWorldCup,
    change: { title: { en: "The film", de: "Der Film" } },
  },
  "svc.studio.cms.entity.v1.EntityService": {
    resource: { ...inWorldCup, title: { en: "A team" }, fields: { code: "ATM", ranks: [1, 2] } },
    list: inWorldCup,
    change: { fields: { code: "BTM" } },
  },
  "svc.studio.cms.event.v1.EventService": {
    resource: { ...inWorldCup, title: { en: "A match" }, startTime: "2026-07-01T18:00:00Z" },
    list: inWorldCup,
    change: { visibility: "VISIBILITY_HIDDEN" },
  },
  "svc.studio.iam.account.v1.AccountService": {
    resource: { ...inOrganization, name: "Ada" },
    list: inOrganization,
    change: { name: "Ada L." },
  },
  "svc.studio.iam.access_token.v1.AccessTokenService": {
    resource: { accountId: "account-viewer", name: "laptop" },
    list: { accountId: "account-viewer" },
  },
  "svc.studio.cms.webhook.v1.WebhookService": {
    resource: { ...inWorldCup, name: "Site", url: "https://site.example.com/changes" },
    list: inWorldCup,
    change: { kinds: ["event"], filter: "id: a" },
  },
  "svc.studio.iam.binding.v1.BindingService": {
    resource: {
      ...inOrganization,
      accountId: "account-viewer",
      roleId: "viewer",
      resourceKey: "sandbox/sandbox/project",
    },
    list: inOrganization,
  },
  "svc.studio.iam.organization.v1.OrganizationService": {
    resource: { name: "Another" },
    list: {},
    change: { name: "Yet another" },
  },
  "svc.studio.iam.project.v1.ProjectService": {
    resource: { ...inOrganization, name: "Third" },
    list: inOrganization,
    change: { name: "The third" },
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService": {
    resource: { ...inWorldCup, name: "site", kind: "PROJECT_KEY_KIND_PUBLIC" },
    list: inWorldCup,
    change: { name: "web site" },
  },
  "svc.studio.iam.role.v1.RoleService": {
    resource: { ...inOrganization, name: "Reporter", permissions: ["cms.events.get"] },
    list: inOrganization,
    change: { permissions: ["cms.events.get", "cms.events.update"] },
  },
  "svc.studio.monetization.entitlement.v1.EntitlementService": {
    resource: {
      ...inWorldCup,
      userId: "user-life",
      offerId: "offer-day",
      startTime: "2026-06-01T00:00:00Z",
    },
    list: inWorldCup,
  },
  "svc.studio.monetization.offer.v1.OfferService": {
    resource: {
      ...inWorldCup,
      name: "day",
      prices: [
        {
          id: "eur",
          amount: { currencyCode: "EUR", units: "4", nanos: 990000000 },
          billingPeriod: "BILLING_PERIOD_ONE_TIME",
          accessPeriod: "ACCESS_PERIOD_DAY",
        },
      ],
      opens: { everything: true },
    },
    list: inWorldCup,
    change: { position: 99 },
  },
  "svc.studio.ott.banner_collection.v2.BannerCollectionService": {
    resource: { ...inWorldCup, name: "Summer", banners: [{ title: { en: "Sun" } }] },
    list: inWorldCup,
    change: { name: "Late summer" },
  },
  "svc.studio.ott.page.v1.PageService": {
    resource: { ...inWorldCup, slug: "life", title: { en: "Life" }, parameters: ["id"] },
    list: inWorldCup,
    change: { title: { en: "A life" } },
  },
  "svc.studio.ott.page_component.v2.PageComponentService": {
    resource: { ...inWorldCup, name: "Note", type: "text", text: { body: "Hello" } },
    extra: { pageId: "page-help", position: 0 },
    list: { pageId: "page-help" },
    change: { cssClasses: ["wide"] },
  },
  "svc.studio.streaming.ruleset.v2.RulesetService": {
    resource: { ...inWorldCup, name: "Life", appliesToAll: true, priority: "-5" },
    list: inWorldCup,
    change: { requireAuthentication: true },
  },
  "svc.studio.streaming.video.v1.VideoService": {
    resource: { ...inWorldCup, name: "A video", playlistUrl: "https://v.example.com/a/a.m3u8" },
    list: inWorldCup,
    change: { duration: "90s" },
  },
};
