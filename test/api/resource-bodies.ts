import type { JsonMessage } from "./methods.ts";

/** What a resource is made of, and how it is changed, to walk through its life. */
export interface ResourceBody {
  /** The resource in protobuf JSON with lowerCamelCase names, without its id. */
  readonly resource: JsonMessage;
  /** Fields of the request beside the resource and its id. */
  readonly extra?: JsonMessage;
  /** A field with another value; absent where nothing can be changed. */
  readonly change?: JsonMessage;
}

const inWorldCup = { projectId: "worldcup" };
const inOrganization = { organizationId: "org-worldcup" };

/** A body of every resource that can be made, by the service that makes it. */
export const resourceBodies: Readonly<Record<string, ResourceBody>> = {
  "svc.studio.annotations.action.v1.ActionService": {
    resource: { ...inWorldCup, name: "Tell", webhook: { url: "https://hooks.example.com/goal" } },
    change: { webhook: { url: "https://hooks.example.com/other" } },
  },
  "svc.studio.annotations.annotation.v1.AnnotationService": {
    resource: { ...inWorldCup, typeId: "type-goal", offset: "75.500s", timerLabel: "2'" },
    change: { timerLabel: "3'" },
  },
  "svc.studio.annotations.annotation_type.v1.AnnotationTypeService": {
    resource: { ...inWorldCup, name: "corner" },
    change: { name: "corner kick" },
  },
  "svc.studio.cms.creative_work.v1.CreativeWorkService": {
    resource: { ...inWorldCup, title: { en: "A film" }, releaseTime: "2026-07-01T00:00:00Z" },
    change: { title: { en: "The film", de: "Der Film" } },
  },
  "svc.studio.cms.entity.v1.EntityService": {
    resource: { ...inWorldCup, title: { en: "A team" }, fields: { code: "ATM", ranks: [1, 2] } },
    change: { fields: { code: "BTM" } },
  },
  "svc.studio.cms.event.v1.EventService": {
    resource: { ...inWorldCup, title: { en: "A match" }, startTime: "2026-07-01T18:00:00Z" },
    change: { visibility: "VISIBILITY_HIDDEN" },
  },
  "svc.studio.iam.account.v1.AccountService": {
    resource: { ...inOrganization, name: "Ada" },
    change: { name: "Ada L." },
  },
  "svc.studio.iam.access_token.v1.AccessTokenService": {
    resource: { accountId: "account-viewer", name: "laptop" },
  },
  "svc.studio.cms.webhook.v1.WebhookService": {
    resource: { ...inWorldCup, name: "Site", url: "https://site.example.com/changes" },
    change: { kinds: ["event"], filter: "id: a" },
  },
  "svc.studio.cms.release.v1.ReleaseService": {
    resource: { ...inWorldCup, name: "Finals" },
    change: { name: "The finals" },
  },
  "svc.studio.iam.binding.v1.BindingService": {
    resource: {
      ...inOrganization,
      accountId: "account-viewer",
      roleId: "viewer",
      resourceKey: "sandbox/sandbox/project",
    },
  },
  "svc.studio.iam.organization.v1.OrganizationService": {
    resource: { name: "Another" },
    change: { name: "Yet another" },
  },
  "svc.studio.iam.project.v1.ProjectService": {
    resource: { ...inOrganization, name: "Third" },
    change: { name: "The third" },
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService": {
    resource: { ...inWorldCup, name: "site", kind: "PROJECT_KEY_KIND_PUBLIC" },
    change: { name: "web site" },
  },
  "svc.studio.iam.role.v1.RoleService": {
    resource: { ...inOrganization, name: "Reporter", permissions: ["cms.events.get"] },
    change: { permissions: ["cms.events.get", "cms.events.update"] },
  },
  "svc.studio.monetization.entitlement.v1.EntitlementService": {
    resource: {
      ...inWorldCup,
      userId: "user-life",
      offerId: "offer-day",
      startTime: "2026-06-01T00:00:00Z",
    },
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
    change: { position: 99 },
  },
  "svc.studio.ott.banner_collection.v2.BannerCollectionService": {
    resource: { ...inWorldCup, name: "Summer", banners: [{ title: { en: "Sun" } }] },
    change: { name: "Late summer" },
  },
  "svc.studio.ott.page.v1.PageService": {
    resource: { ...inWorldCup, slug: "life", title: { en: "Life" }, parameters: ["id"] },
    change: { title: { en: "A life" } },
  },
  "svc.studio.ott.page_component.v2.PageComponentService": {
    resource: { ...inWorldCup, name: "Note", type: "text", text: { body: "Hello" } },
    extra: { pageId: "page-help", position: 0 },
    change: { cssClasses: ["wide"] },
  },
  "svc.studio.streaming.ruleset.v2.RulesetService": {
    resource: { ...inWorldCup, name: "Life", appliesToAll: true, priority: "-5" },
    change: { requireAuthentication: true },
  },
  "svc.studio.streaming.video.v1.VideoService": {
    resource: { ...inWorldCup, name: "A video", playlistUrl: "https://v.example.com/a/a.m3u8" },
    change: { duration: "90s" },
  },
};

/** Returns the parent that a resource lies in, as its list asks for it. */
export function parentOf({ resource, extra }: ResourceBody): JsonMessage {
  const fields: JsonMessage = { ...extra, ...resource };
  const parents = ["pageId", "projectId", "organizationId", "accountId"];
  return Object.fromEntries(
    parents.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])).slice(0, 1),
  );
}
