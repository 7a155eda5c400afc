import type { JsonObject } from "@bufbuild/protobuf";
import { methodOf, type Operation } from "../openapi.ts";

/** A kind of resource, as the menu, lists and forms show it. */
export interface Kind {
  /** Such as `creative_work`: in keys of records and in references. */
  readonly name: string;
  /** Its field in requests and responses; absent: its name. */
  readonly field?: string;
  /** The last words of its methods, such as `CreativeWork` and `CreativeWorks`. */
  readonly methods: readonly [one: string, many: string];
  /** Its segment in URLs, such as `creative-works`. */
  readonly section: string;
  /** Its names on the screen, such as `film` and `Films`. */
  readonly words: readonly [one: string, many: string];
  /** The group of the menu. */
  readonly group: "Content" | "Pages" | "Video" | "Shop" | "Automation";
  /** The fields that a list shows after the title. */
  readonly columns: readonly string[];
  /** The List method of the Delivery API: it searches, and shows drafts of a release. */
  readonly delivered?: string;
  /** True if its items have a visibility and an availability. */
  readonly isShown?: boolean;
  /** True if its items have pictures. */
  readonly hasPictures?: boolean;
  /** A filter as an example; absent: one by the content type. */
  readonly filter?: string;
  /** True if people only read its items. */
  readonly isReadOnly?: boolean;
}

/** The kinds of the menu, in its order. */
export const KINDS: readonly Kind[] = [
  {
    name: "event",
    methods: ["Event", "Events"],
    section: "events",
    words: ["event", "Events"],
    group: "Content",
    isShown: true,
    columns: ["start_time", "content_type"],
    delivered: "svc.cda.cms.event.v1.EventService/ListEvents",
    hasPictures: true,
  },
  {
    name: "creative_work",
    methods: ["CreativeWork", "CreativeWorks"],
    section: "creative-works",
    words: ["film or show", "Films and shows"],
    group: "Content",
    isShown: true,
    columns: ["content_type", "update_time"],
    delivered: "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks",
    hasPictures: true,
  },
  {
    name: "entity",
    methods: ["Entity", "Entities"],
    section: "entities",
    words: ["person, team or place", "People, teams, places"],
    group: "Content",
    isShown: true,
    columns: ["content_type", "update_time"],
    delivered: "svc.cda.cms.entity.v1.EntityService/ListEntities",
    hasPictures: true,
  },
  {
    name: "page",
    methods: ["Page", "Pages"],
    section: "pages",
    words: ["page", "Pages"],
    group: "Pages",
    isShown: true,
    columns: ["slug", "update_time"],
    delivered: "svc.cda.ott.page.v1.PageService/ListPages",
  },
  {
    name: "banner_collection",
    methods: ["BannerCollection", "BannerCollections"],
    section: "banner-collections",
    words: ["banner collection", "Banners"],
    group: "Pages",
    isShown: true,
    columns: ["update_time"],
  },
  {
    name: "video",
    methods: ["Video", "Videos"],
    section: "videos",
    words: ["video", "Videos"],
    group: "Video",
    columns: ["update_time"],
  },
  {
    name: "ruleset",
    field: "video_protection_ruleset",
    methods: ["Ruleset", "Rulesets"],
    section: "rulesets",
    words: ["playback rule", "Playback rules"],
    group: "Video",
    columns: ["update_time"],
  },
  {
    name: "annotation",
    methods: ["Annotation", "Annotations"],
    section: "annotations",
    words: ["chapter or marker", "Chapters and markers"],
    group: "Video",
    columns: ["offset", "type_id"],
  },
  {
    name: "annotation_type",
    methods: ["AnnotationType", "AnnotationTypes"],
    section: "annotation-types",
    words: ["type of marker", "Types of markers"],
    group: "Video",
    columns: ["update_time"],
  },
  {
    name: "offer",
    methods: ["Offer", "Offers"],
    section: "offers",
    words: ["offer", "Offers"],
    group: "Shop",
    isShown: true,
    columns: ["update_time"],
    delivered: "svc.cda.monetization.offer.v1.OfferService/ListOffers",
  },
  {
    name: "transaction",
    methods: ["Transaction", "Transactions"],
    section: "transactions",
    words: ["transaction", "Transactions"],
    group: "Shop",
    columns: ["user_id", "offer_title", "total_amount", "status", "create_time"],
    filter: "billing_transaction_id: bill_1",
    isReadOnly: true,
  },
  {
    name: "entitlement",
    methods: ["Entitlement", "Entitlements"],
    section: "entitlements",
    words: ["entitlement", "Entitlements"],
    group: "Shop",
    columns: ["user_id", "offer_id", "start_time", "end_time"],
    filter: "user_id: viewer-1",
  },
  {
    name: "action",
    methods: ["Action", "Actions"],
    section: "actions",
    words: ["action", "Actions"],
    group: "Automation",
    columns: ["update_time"],
  },
  {
    name: "webhook",
    methods: ["Webhook", "Webhooks"],
    section: "webhooks",
    words: ["webhook", "Webhooks"],
    group: "Automation",
    columns: ["url", "update_time"],
  },
];

/** Page components have no list of their own: the composer of their page shows them. */
export const COMPONENT: Kind = {
  name: "page_component",
  methods: ["PageComponent", "PageComponents"],
  section: "components",
  words: ["component", "Components"],
  group: "Pages",
  columns: ["type"],
};

/** Finds the kind of a section of the menu. */
export function kindOfSection(section: string): Kind | undefined {
  return [...KINDS, COMPONENT].find((it) => it.section === section);
}

/** Finds the kind by its name, such as `creative_work`. */
export function kindOfName(name: string): Kind | undefined {
  return [...KINDS, COMPONENT].find((it) => it.name === name);
}

/** The standard methods of a kind. */
export interface Methods {
  readonly list: Operation | undefined;
  readonly get: Operation | undefined;
  readonly create: Operation | undefined;
  readonly update: Operation | undefined;
  readonly delete: Operation | undefined;
  /** Replaces the secret that signs its requests. */
  readonly rotateSecret: Operation | undefined;
}

/** Finds the standard methods of a kind in the OpenAPI document. */
export function methodsOf(
  { methods: [one, many] }: Kind,
  operations: readonly Operation[],
): Methods {
  const find = (name: string) =>
    operations.find((it) => it.operationId.startsWith("studio.") && methodOf(it) === name);
  return {
    list: find(`List${many}`),
    get: find(`Get${one}`),
    create: find(`Create${one}`),
    update: find(`Update${one}`),
    delete: find(`Delete${one}`),
    rotateSecret: find(`Rotate${one}Secret`),
  };
}

/** Reports whether drafts of a kind can be kept in a release. */
export function isReleasable({ update }: Methods): boolean {
  return update?.parameters.some(({ name }) => name === "release_id") ?? false;
}

/** Returns the permission that a method needs; of a write into a release, the permission to change its drafts. */
export function permissionOf(operation: Operation | undefined, release = ""): string {
  if (release !== "") return "cms.releases.update";
  return operation?.["x-permission"]?.name ?? "";
}

/** Returns the title of a resource in a language; without one, its name or its id. */
export function titleOf(value: JsonObject, language = navigator.language): string {
  const { title, name, slug, id } = value;
  const texts = typeof title === "object" && title !== null ? (title as JsonObject) : {};
  const tag = language.split("-")[0] ?? "";
  const text = texts[language] ?? texts[tag] ?? texts.en ?? Object.values(texts)[0];
  return String(text || name || slug || id || "");
}
