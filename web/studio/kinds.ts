import type { JsonObject } from "@bufbuild/protobuf";
import { methodOf, type Operation } from "../openapi.ts";
import { pick, toSnake } from "./drawing/text.ts";

/** A kind of resource, as the menu, lists and forms show it. */
export interface Kind extends Declared {
  /** Such as `creative_work`: in keys of records and in references. */
  readonly name: string;
  /** Its segment in URLs, such as `creative-works`. */
  readonly section: string;
  /** The group of the menu, such as `Content`. */
  readonly group: string;
  readonly columns: readonly string[];
  /** A filter as an example. */
  readonly filter: string;
}

/** The facts about a kind that the schema does not have. */
interface Declared {
  /** Its field in requests and responses; absent: its name. */
  readonly field?: string;
  /** The last words of its methods, such as `CreativeWork` and `CreativeWorks`. */
  readonly methods: readonly [one: string, many: string];
  /** Its names on the screen, such as `film` and `Films`. */
  readonly words: readonly [one: string, many: string];
  /** The fields that a list shows after the title; absent: the time of the last change. */
  readonly columns?: readonly string[];
  /** The List method of the Delivery API: it searches, and shows drafts of a release. */
  readonly delivered?: string;
  /** True if its items have pictures. */
  readonly hasPictures?: boolean;
  /** Absent: a filter by the content type, or by the id. */
  readonly filter?: string;
  /** True if people only read its items. */
  readonly isReadOnly?: boolean;
}

/** The kinds of each group of the menu, in its order. */
const GROUPS: Readonly<Record<string, readonly Declared[]>> = {
  Content: [
    {
      methods: ["Event", "Events"],
      words: ["event", "Events"],
      columns: ["start_time", "content_type"],
      delivered: "svc.cda.cms.event.v1.EventService/ListEvents",
      hasPictures: true,
    },
    {
      methods: ["CreativeWork", "CreativeWorks"],
      words: ["film or show", "Films and shows"],
      columns: ["content_type", "update_time"],
      delivered: "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks",
      hasPictures: true,
    },
    {
      methods: ["Entity", "Entities"],
      words: ["person, team or place", "People, teams, places"],
      columns: ["content_type", "update_time"],
      delivered: "svc.cda.cms.entity.v1.EntityService/ListEntities",
      hasPictures: true,
    },
  ],
  Pages: [
    {
      methods: ["Page", "Pages"],
      words: ["page", "Pages"],
      columns: ["slug", "update_time"],
      filter: "slug: home",
      delivered: "svc.cda.ott.page.v1.PageService/ListPages",
    },
    {
      methods: ["BannerCollection", "BannerCollections"],
      words: ["banner collection", "Banners"],
    },
  ],
  Video: [
    {
      methods: ["Video", "Videos"],
      words: ["video", "Videos"],
    },
    {
      field: "video_protection_ruleset",
      methods: ["Ruleset", "Rulesets"],
      words: ["playback rule", "Playback rules"],
    },
    {
      methods: ["Annotation", "Annotations"],
      words: ["chapter or marker", "Chapters and markers"],
      columns: ["type_id", "offset", "video_id"],
      filter: "type_id: goal",
    },
    {
      methods: ["AnnotationType", "AnnotationTypes"],
      words: ["type of marker", "Types of markers"],
    },
  ],
  Shop: [
    {
      methods: ["Offer", "Offers"],
      words: ["offer", "Offers"],
      delivered: "svc.cda.monetization.offer.v1.OfferService/ListOffers",
    },
    {
      methods: ["Transaction", "Transactions"],
      words: ["transaction", "Transactions"],
      columns: ["user_id", "offer_title", "total_amount", "status", "create_time"],
      filter: "billing_transaction_id: bill_1",
      isReadOnly: true,
    },
    {
      methods: ["Entitlement", "Entitlements"],
      words: ["entitlement", "Entitlements"],
      columns: ["user_id", "offer_id", "start_time", "end_time"],
      filter: "user_id: viewer-1",
    },
  ],
  Automation: [
    {
      methods: ["Action", "Actions"],
      words: ["action", "Actions"],
    },
    {
      methods: ["Webhook", "Webhooks"],
      words: ["webhook", "Webhooks"],
      columns: ["url", "update_time"],
    },
  ],
};

/** The kinds of the menu, in its order. */
export const KINDS: readonly Kind[] = Object.entries(GROUPS).flatMap(([group, kinds]) =>
  kinds.map((it) => toKind(it, group)),
);

/** Page components have no list of their own: the composer of their page shows them. */
export const COMPONENT: Kind = {
  ...toKind(
    { methods: ["PageComponent", "PageComponents"], words: ["component", "Components"] },
    "",
  ),
  section: "components",
};

function toKind(declared: Declared, group: string): Kind {
  const [name = "", names = ""] = declared.methods.map(toSnake);
  return {
    name,
    section: names.replaceAll("_", "-"),
    group,
    columns: ["update_time"],
    filter: declared.hasPictures ? "content_type: match" : "id: main",
    ...declared,
  };
}

/** Finds the kind of a section of the menu. */
export function kindOfSection(section: string): Kind | undefined {
  return [...KINDS, COMPONENT].find((it) => it.section === section);
}

/** Finds the kind by its name, such as `creative_work`. */
export function kindOfName(name: string): Kind | undefined {
  return [...KINDS, COMPONENT].find((it) => it.name === name);
}

/** The methods of a kind; undefined: it does not have the method. */
export type Methods = ReturnType<typeof methodsOf>;

/** Finds the standard methods of a kind in the OpenAPI document, and the one that replaces the secret of its requests. */
export function methodsOf({ methods: [one, many] }: Kind, operations: readonly Operation[]) {
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

/** Returns the title of a resource in the language of the browser; without one, its name or its id. */
export function titleOf({ title, name, slug, id }: JsonObject): string {
  return String(pick(title, navigator.language) || name || slug || id || "");
}
