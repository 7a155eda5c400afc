import type { DescMessage, DescService, Message, MessageShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { EntitlementSchema } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { OfferService as DeliveredOffers } from "../../gen/svc/cda/monetization/offer/v1/offer_service_pb.ts";
import { BannerCollectionSchema } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { BannerCollectionService as DeliveredBannerCollections } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { ActionSchema } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { ActionRunSchema } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { ChangeSchema } from "../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { CreativeWorkService } from "../../gen/svc/studio/cms/creative_work/v1/creative_work_service_pb.ts";
import { EntityService } from "../../gen/svc/studio/cms/entity/v1/entity_service_pb.ts";
import { EventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { WebhookSchema } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { AccessTokenSchema } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import {
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { RoleSchema } from "../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { SignInIntegrationSchema } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { BillingIntegrationSchema } from "../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_pb.ts";
import { OfferService } from "../../gen/svc/studio/monetization/offer/v1/offer_service_pb.ts";
import { TransactionSchema } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { BannerCollectionService } from "../../gen/svc/studio/ott/banner_collection/v2/banner_collection_service_pb.ts";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { VideoService } from "../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { ReleaseSchema } from "../../gen/svc/type/v1/release_pb.ts";
import { checkAudiences } from "./access/audiences.ts";
import { checkBinding } from "./access/binding.ts";
import { checkRole } from "./access/roles.ts";
import { checkEmail } from "./access/staff-sign-in.ts";
import { type CheckTarget, checkAction } from "./actions/action.ts";
import { checkWebhook } from "./actions/webhook.ts";
import { checkAnnotation } from "./annotations/annotation.ts";
import { readField } from "./base/descriptors.ts";
import { checkField } from "./base/field-errors.ts";
import { type DocumentOrder, parseDocumentOrder } from "./base/paging.ts";
import { checkCreativeWork, checkEntity, checkEvent } from "./content/content.ts";
import { type ContentKind, parseContentOrder } from "./content/order.ts";
import { checkVideo } from "./content/video.ts";
import { checkOffer } from "./monetization/offer.ts";
import { checkTransaction } from "./monetization/transaction-state.ts";
import { checkBannerCollection } from "./pages/banner-collection.ts";
import { checkPageComponent } from "./pages/components/check.ts";
import { checkPage } from "./pages/page.ts";
import { checkRuleset, checkRulesetMask, normalizeRuleset } from "./protection/ruleset.ts";
import { type Amounts, checkQuotas, type Holder } from "./quotas.ts";
import {
  listAnnotationTypeReferences,
  listFieldReferences,
  listPageComponentMentions,
  type Reference,
} from "./references.ts";
import { checkRelease, normalizeRelease } from "./releases/release.ts";
import type { CheckedMask } from "./validation/field-mask.ts";

/** The parent of a resource. */
export type Owner = Holder | { readonly kind: "account"; readonly id: string };

/** The description of a kind of resource, independent of the database engine. */
export interface Kind<T extends Message = Message> {
  readonly schema: DescMessage;
  /** The kind of its parent; deleting the parent deletes it. */
  readonly in: "installation" | Owner["kind"];
  /** True if its parent cannot be deleted without `force` while it exists. */
  readonly blocksDeletion: boolean;
  /** Further kinds that it is deleted with: the resources named by its `<kind>_id` fields. */
  readonly needs: readonly ("account" | "page" | "role" | "video")[];
  /**
   * Its storage.
   * - `document`: a table of its own.
   * - `content`: a document, with tables of values for filters.
   * - `integration`: one for each project.
   * - `other`: rows of a store of their own.
   */
  readonly keep: "document" | "content" | "integration" | "other";
  /** Its place in files of records: part of a project's export, part of it on request, only imported, or never. */
  readonly record: "exported" | "requested" | "imported" | "none";
  /** The quota of its parent that it counts toward; a kind that counts toward `items` counts toward `bytes` too. */
  readonly quota: "items" | "keys" | "accounts" | "projects" | "none";
  /** The collection of its permissions, such as `cms.events`. */
  readonly permissions: string;
  /** The verbs of its permissions. */
  readonly verbs: readonly string[];
  /** Its service in the Studio API, if it has only the standard methods. */
  readonly service?: DescService;
  /** Its standard methods in the Delivery API, if it has them. */
  readonly delivered?: DeliveredMethods;
  /** The fields with columns of their own, for queries: numbers and texts. */
  readonly columns: readonly string[];
  /** Its name in requests and in the paths of errors; default: the name of the kind. */
  readonly field?: string;
  /** The name of its collection in surrogate keys; absent: its changes are not announced. */
  readonly collection?: string;
  /**
   * Its history: none; who changed what (`recorded`); also its earlier states, so that a change can be taken back
   * (`undoable`). Releases may contain drafts of what is `releasable`, too.
   */
  readonly history: "none" | "recorded" | "undoable" | "releasable";
  /** The fields that lists can be ordered by besides the id; content has further ones. */
  readonly orders: readonly string[];
  /** The order of a list that names none; default: the id. */
  readonly standardOrder?: DocumentOrder;
  /** Returns its id; an integration has its project's. */
  idOf(message: T): string;
  /** Returns a message in the form that is stored. */
  normalize?(message: T): T;
  /** Checks which fields an update mask may name together. */
  checkMask?(mask: CheckedMask, update: T): void;
  /** Checks a message before it is stored, beyond its REQUIRED fields and URLs; errors name fields below `path`. */
  check(message: T, path: string, facts: CheckFacts): void;
  /** Returns its parent; undefined for the installation. */
  ownerOf(message: T): Owner | undefined;
  /** Lists the resources of its project that it refers to: default, those that its fields name. */
  referencesOf(message: T): readonly Reference[];
  /** Lists further resources that it names, whose deletion needs no `force`. */
  mentionsOf?(message: T): readonly Reference[];
}

/** How the Delivery API serves a kind. */
interface DeliveredMethods {
  /** The service: its Get takes an `id`, its List selects a page. */
  readonly service: DescService;
  /** The field that its list is ordered by, ascending, ties by id; `id`, or one with a column. */
  readonly order: string;
}

/** The facts that checks know besides the message. */
export interface CheckFacts {
  /** Checks the URL that an action calls. */
  readonly checkTarget: CheckTarget;
  /** The length of the text that the message was parsed from; absent: the message is measured. */
  readonly length?: number;
}

type Described<T extends Message> = Omit<Kind<T>, "referencesOf" | "schema"> &
  Partial<Pick<Kind<T>, "referencesOf">>;

/** Adds the schema to the description of a kind and types the description by the schema's message. */
function describe<T extends Message, const Rest extends Described<T>>(
  schema: GenMessage<T>,
  rest: Rest,
): Kind<T> &
  Pick<
    Rest,
    Extract<
      keyof Rest,
      "collection" | "delivered" | "history" | "in" | "keep" | "record" | "service"
    >
  > & {
    readonly schema: GenMessage<T>;
  } {
  const referencesOf = (message: T) => listFieldReferences(schema, message);
  return { referencesOf, ...rest, schema };
}

/** The check of a kind that has no rules but its REQUIRED fields and URLs. */
const NO_RULES = () => {};

const READ = ["get", "list"];

const DOCUMENT = {
  verbs: [...READ, "create", "update", "delete"],
  blocksDeletion: true,
  needs: [],
  keep: "document",
  record: "none",
  quota: "none",
  history: "none",
  columns: [],
  orders: ["create_time", "update_time"],
  idOf: ({ id }: { readonly id: string }) => id,
} as const;

const IN_ORGANIZATION = {
  ...DOCUMENT,
  in: "organization",
  record: "imported",
  ownerOf: ({ organizationId: id }: { readonly organizationId: string }): Owner => ({
    kind: "organization",
    id,
  }),
} as const;

const IN_PROJECT = {
  ...DOCUMENT,
  in: "project",
  record: "exported",
  quota: "items",
  ownerOf: ({ projectId: id }: { readonly projectId: string }): Owner => ({ kind: "project", id }),
} as const;

const CONTENT = {
  ...IN_PROJECT,
  keep: "content",
  history: "releasable",
} as const;

const INTEGRATION = {
  ...IN_PROJECT,
  blocksDeletion: false,
  keep: "integration",
  verbs: ["get", "update"],
  quota: "none",
  idOf: ({ projectId }: { readonly projectId: string }) => projectId,
} as const;

/**
 * All kinds of resources. Parents, cascades, references, orders, checks, surrogate keys, the standard methods of the
 * Studio API, imports and exports derive from this table.
 */
export const KINDS = {
  organization: describe(OrganizationSchema, {
    ...DOCUMENT,
    permissions: "iam.organizations",
    verbs: ["get", "create", "update", "delete"],
    in: "installation",
    record: "exported",
    ownerOf: () => undefined,
    check: ({ quotas }, path) => checkQuotas(quotas, path),
  }),
  binding: describe(BindingSchema, {
    ...IN_ORGANIZATION,
    permissions: "iam.bindings",
    verbs: [...READ, "create", "delete"],
    blocksDeletion: false,
    needs: ["account", "role"],
    orders: ["create_time"],
    check: checkBinding,
  }),
  role: describe(RoleSchema, {
    ...IN_ORGANIZATION,
    permissions: "iam.roles",
    blocksDeletion: false,
    check: (role, path) => checkRole(role, path, PERMISSIONS),
  }),
  account: describe(AccountSchema, {
    ...IN_ORGANIZATION,
    permissions: "iam.accounts",
    quota: "accounts",
    check: ({ email }, path) => checkEmail(email, `${path}.email`),
  }),
  project: describe(ProjectSchema, {
    ...IN_ORGANIZATION,
    permissions: "iam.projects",
    verbs: [...DOCUMENT.verbs, "preview"],
    history: "recorded",
    record: "exported",
    quota: "projects",
    check: ({ quotas }, path) => checkQuotas(quotas, path),
  }),
  access_token: describe(AccessTokenSchema, {
    ...DOCUMENT,
    permissions: "iam.access_tokens",
    verbs: [...READ, "create", "revoke"],
    in: "account",
    orders: ["create_time"],
    check: NO_RULES,
    ownerOf: ({ accountId: id }) => ({ kind: "account", id }),
  }),
  project_key: describe(ProjectKeySchema, {
    ...IN_PROJECT,
    permissions: "iam.project_keys",
    history: "recorded",
    record: "none",
    quota: "keys",
    check: ({ kind }, path) => {
      const description = "must be PROJECT_KEY_KIND_PUBLIC or PROJECT_KEY_KIND_PREVIEW";
      const isKind = kind !== ProjectKeyKind.UNSPECIFIED;
      checkField(isKind, `${path}.kind`, "KIND_INVALID", description);
    },
  }),
  sign_in_integration: describe(SignInIntegrationSchema, {
    ...INTEGRATION,
    permissions: "iam.sso",
    history: "recorded",
    check: ({ audiences }, path) => checkAudiences(audiences, `${path}.audiences`),
  }),
  billing_integration: describe(BillingIntegrationSchema, {
    ...INTEGRATION,
    permissions: "monetization.billing_integrations",
    record: "none",
    check: NO_RULES,
  }),
  entity: describe(EntitySchema, {
    ...CONTENT,
    permissions: "cms.entities",
    service: EntityService,
    collection: "entities",
    check: (entity, path, { length }) => checkEntity(entity, path, length),
  }),
  creative_work: describe(CreativeWorkSchema, {
    ...CONTENT,
    permissions: "cms.creative_works",
    service: CreativeWorkService,
    collection: "creative_works",
    check: (work, path, { length }) => checkCreativeWork(work, path, length),
  }),
  event: describe(EventSchema, {
    ...CONTENT,
    permissions: "cms.events",
    service: EventService,
    collection: "events",
    check: (event, path, { length }) => checkEvent(event, path, length),
  }),
  video: describe(VideoSchema, {
    ...IN_PROJECT,
    permissions: "streaming.videos",
    history: "undoable",
    service: VideoService,
    collection: "videos",
    check: checkVideo,
  }),
  action: describe(ActionSchema, {
    ...IN_PROJECT,
    permissions: "annotations.actions",
    history: "undoable",
    check: (action, path, { checkTarget }) => checkAction(action, path, checkTarget),
  }),
  // Not exported: a copy of a project would announce its changes to the receivers of the original.
  webhook: describe(WebhookSchema, {
    ...IN_PROJECT,
    permissions: "cms.webhooks",
    history: "undoable",
    record: "imported",
    quota: "none",
    check: (webhook, path, { checkTarget }) =>
      checkWebhook(webhook, path, checkTarget, listAnnouncedKinds()),
  }),
  action_run: describe(ActionRunSchema, {
    ...IN_PROJECT,
    permissions: "annotations.action_runs",
    verbs: [...READ, "replay"],
    blocksDeletion: false,
    keep: "other",
    record: "none",
    quota: "none",
    orders: ["create_time"],
    standardOrder: { field: "create_time", direction: "desc" },
    check: NO_RULES,
  }),
  release: describe(ReleaseSchema, {
    ...IN_PROJECT,
    permissions: "cms.releases",
    verbs: [...DOCUMENT.verbs, "apply"],
    blocksDeletion: false,
    record: "requested",
    quota: "none",
    orders: ["create_time", "update_time", "apply_time"],
    normalize: normalizeRelease,
    check: checkRelease,
  }),
  change: describe(ChangeSchema, {
    ...IN_PROJECT,
    permissions: "cms.changes",
    verbs: [...READ, "revert"],
    blocksDeletion: false,
    keep: "other",
    record: "none",
    quota: "none",
    orders: ["revision"],
    standardOrder: { field: "revision", direction: "desc" },
    check: NO_RULES,
  }),
  annotation_type: describe(AnnotationTypeSchema, {
    ...IN_PROJECT,
    permissions: "annotations.types",
    history: "undoable",
    check: NO_RULES,
    referencesOf: listAnnotationTypeReferences,
  }),
  annotation: describe(AnnotationSchema, {
    ...IN_PROJECT,
    permissions: "annotations.annotations",
    history: "undoable",
    needs: ["video"],
    collection: "annotations",
    orders: ["offset"],
    standardOrder: { field: "offset", direction: "asc" },
    check: checkAnnotation,
  }),
  banner_collection: describe(BannerCollectionSchema, {
    ...IN_PROJECT,
    permissions: "ott.banner_collections",
    history: "releasable",
    service: BannerCollectionService,
    delivered: { service: DeliveredBannerCollections, order: "id" },
    columns: ["visibility"],
    collection: "banner_collections",
    check: checkBannerCollection,
  }),
  page: describe(PageSchema, {
    ...IN_PROJECT,
    permissions: "ott.pages",
    columns: ["visibility", "slug"],
    history: "releasable",
    collection: "pages",
    check: checkPage,
  }),
  page_component: describe(PageComponentSchema, {
    ...IN_PROJECT,
    permissions: "ott.page_components",
    history: "releasable",
    needs: ["page"],
    collection: "page_components",
    orders: ["position"],
    standardOrder: { field: "position", direction: "asc" },
    check: checkPageComponent,
    mentionsOf: listPageComponentMentions,
  }),
  ruleset: describe(VideoProtectionRulesetSchema, {
    ...IN_PROJECT,
    permissions: "streaming.rulesets",
    verbs: [...DOCUMENT.verbs, "simulate"],
    history: "releasable",
    field: "video_protection_ruleset",
    orders: [],
    normalize: normalizeRuleset,
    checkMask: checkRulesetMask,
    check: checkRuleset,
  }),
  offer: describe(OfferSchema, {
    ...IN_PROJECT,
    permissions: "monetization.offers",
    history: "releasable",
    service: OfferService,
    delivered: { service: DeliveredOffers, order: "position" },
    columns: ["visibility", "position"],
    collection: "offers",
    orders: ["position", "create_time", "update_time"],
    standardOrder: { field: "position", direction: "asc" },
    check: checkOffer,
  }),
  transaction: describe(TransactionSchema, {
    ...IN_PROJECT,
    permissions: "monetization.transactions",
    verbs: [...READ, "create", "capture", "refund", "cancel"],
    orders: ["create_time"],
    check: checkTransaction,
  }),
  entitlement: describe(EntitlementSchema, {
    ...IN_PROJECT,
    permissions: "monetization.entitlements",
    verbs: [...READ, "create", "delete"],
    blocksDeletion: false,
    keep: "other",
    orders: ["start_time"],
    check: NO_RULES,
  }),
};

/** The name of a kind: the resource type of its permissions and keys. */
export type KindName = keyof typeof KINDS;

/** The message of a kind. */
export type KindMessage<Name extends KindName> = MessageShape<(typeof KINDS)[Name]["schema"]>;

/** The kinds whose description has a property with a value. */
export type KindsWith<Property extends keyof Kind, Value> = {
  [Name in KindName]: (typeof KINDS)[Name][Property] extends Value ? Name : never;
}[KindName];

/** The names of all kinds, in the order of the table. */
export const KIND_NAMES = Object.keys(KINDS) as readonly KindName[];

/** Reports whether a text is the name of a kind. */
export function isKindName(text: string): text is KindName {
  return Object.hasOwn(KINDS, text);
}

/** Returns the description of a kind, typed for any kind. */
export function kindOf(name: KindName): Kind {
  return KINDS[name];
}

/** Reports whether a resource type is a kind of content. */
export function isContentKind(kind: string): kind is ContentKind {
  return isKindName(kind) && kindOf(kind).keep === "content";
}

/** Lists all resources of its project that a message of a kind names, each with the path of its id. */
export function listReferencesOf(name: KindName, message: Message): readonly Reference[] {
  const { referencesOf, mentionsOf } = kindOf(name);
  return [...referencesOf(message), ...(mentionsOf?.(message) ?? [])];
}

/**
 * The kinds of resources that a kind names and that must exist when it is written, although a forced deletion may leave
 * the reference. A kind follows the kinds that it refers to.
 */
export const REQUIRED_REFERENCES = [
  ["annotation_type", "action"],
  ["annotation", "annotation_type"],
  ["page_component", "banner_collection"],
] as const;

/** A reference that must exist in the project when it is written. */
export type RequiredReference = Reference & {
  readonly kind: (typeof REQUIRED_REFERENCES)[number][1];
};

/** Lists the references of a resource that must exist when they are written; none for most kinds. */
export function listRequiredOf(name: KindName, message: Message): readonly RequiredReference[] {
  const [, required] = REQUIRED_REFERENCES.find(([kind]) => kind === name) ?? [];
  const isRequired = (it: Reference): it is RequiredReference => it.kind === required;
  return kindOf(name).referencesOf(message).filter(isRequired);
}

/** Lists the references that a message has and its earlier state lacks, with fields below `path`. */
export function listAddedReferences(
  name: KindName,
  { after, before }: { readonly after: Message; readonly before?: Message | undefined },
  path: string,
): Reference[] {
  const references = listReferencesOf(name, after);
  if (references.length === 0) return [];
  const keyOf = ({ kind, id }: Reference) => `${kind} ${id}`;
  const keys = new Set(before && listReferencesOf(name, before).map(keyOf));
  return references
    .filter((it) => !keys.has(keyOf(it)))
    .map((it) => ({ ...it, field: `${path}.${it.field}` }));
}

/** The kinds whose standard methods the Delivery API has. */
export type DeliveredKind = KindsWith<"delivered", DeliveredMethods>;

/** Reports whether the Delivery API has the standard methods of a kind. */
export function isDelivered(name: KindName): name is DeliveredKind {
  return kindOf(name).delivered !== undefined;
}

/** Returns the place of a resource in the lists of the Delivery API: the value that they are ordered by, and its id. */
export function placeInDelivery(name: DeliveredKind, message: Message & { readonly id: string }) {
  const { schema, delivered } = KINDS[name];
  const field = schema.fields.find((it) => it.name === delivered.order && it.name !== "id");
  const key = field === undefined ? null : (readField(message, field) as number | string);
  return { key, id: message.id };
}

/** The kinds whose changes are announced, and whose responses have surrogate keys. */
export type AnnouncedKind = KindsWith<"collection", string>;

/** Reports whether the changes of a kind are announced. */
export function isAnnounced(kind: string): kind is AnnouncedKind {
  return isKindName(kind) && kindOf(kind).collection !== undefined;
}

/** The kinds whose changes are recorded. */
export type RecordedKind = KindsWith<"history", "recorded" | "releasable" | "undoable">;

/** Reports whether the changes of a kind are recorded. */
export function isRecorded(kind: KindName): kind is RecordedKind {
  return kindOf(kind).history !== "none";
}

/** Reports whether releases may contain drafts of a kind. */
export function isReleasable(kind: KindName): kind is KindsWith<"history", "releasable"> {
  return kindOf(kind).history === "releasable";
}

/** Reports whether changes of a kind can be taken back. */
export function isUndoable(kind: string): boolean {
  return isKindName(kind) && ["releasable", "undoable"].includes(kindOf(kind).history);
}

/** Lists the kinds that webhooks announce, in alphabetical order: the schedules of releases are announced, too. */
export function listAnnouncedKinds(): readonly string[] {
  return [...KIND_NAMES.filter(isAnnounced), "release"].sort();
}

/** The collections of permissions on no kind of resource. */
const FURTHER_COLLECTIONS = [
  { permissions: "cms.records", verbs: ["write"] },
  { permissions: "iam.audit", verbs: ["list"] },
  { permissions: "iam.staff_sign_in", verbs: ["get", "update"] },
];

/** Every permission that a method or a role may use, by collection in alphabetical order. */
export const PERMISSIONS: ReadonlySet<string> = new Set(
  [...KIND_NAMES.map(kindOf), ...FURTHER_COLLECTIONS]
    .sort((a, b) => (a.permissions < b.permissions ? -1 : 1))
    .flatMap(({ permissions, verbs }) => verbs.map((verb) => `${permissions}.${verb}`)),
);

/** Parses the order of a list of a kind; blank is its standard order. INVALID_ARGUMENT `ORDER_INVALID`. */
export function parseOrderOf(name: KindName, order: string): DocumentOrder {
  if (isContentKind(name)) return parseContentOrder(order, name);
  const { orders, standardOrder } = kindOf(name);
  return parseDocumentOrder(order, orders, standardOrder);
}

/**
 * Returns the amounts that resources of a kind add to the quotas of their parent: their number, and for items the
 * bytes of their documents.
 */
export function toAmounts(kind: KindName, count: number, bytes: number): Amounts {
  const { quota, keep } = kindOf(kind);
  if (quota === "none") return {};
  if (quota === "items") return { items: count, bytes: keep === "other" ? 0 : bytes };
  return { [quota]: count };
}
