import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { EntitlementSchema } from "../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { ActionSchema } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { ActionRunSchema } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { WebhookSchema } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { AccessTokenSchema } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { ProjectKeySchema } from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { RoleSchema } from "../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { SignInIntegrationSchema } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { BillingIntegrationSchema } from "../../gen/svc/studio/monetization/billing_integration/v1/billing_integration_pb.ts";
import { TransactionSchema } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import {
  listAnnotationReferences,
  listAnnotationTypeReferences,
  listEntitlementReferences,
  listOfferReferences,
  listPageComponentReferences,
  listRulesetReferences,
  listTransactionReferences,
  type ResourceName,
} from "./messages/references.ts";

/** The parent of a resource. */
export interface Owner {
  readonly type: "organization" | "project" | "account";
  readonly id: string;
}

/** The description of a kind of resource, independent of the database engine. */
export interface Kind<T extends Message = Message> {
  readonly schema: DescMessage;
  /** The kind of its parent, with which it is deleted. */
  readonly in: "installation" | Owner["type"];
  /** True if its parent cannot be deleted without `force` while it exists. */
  readonly blocksDeletion: boolean;
  /** Further kinds with which it is deleted: the resources that its `<kind>_id` fields name. */
  readonly needs: readonly ("account" | "page" | "role" | "video")[];
  /**
   * Its storage: a `document` in a table of its own; `content`, which filters read from tables of values; an
   * `integration`, of which a project has one; `other` rows, written by a store of their own.
   */
  readonly keep: "document" | "content" | "integration" | "other";
  /** Its place in files of records: part of a project's export, only imported, or never. */
  readonly record: "exported" | "imported" | "none";
  /** The quota of its parent that it counts for; what counts for `items` counts for `bytes` too. */
  readonly quota: "items" | "keys" | "accounts" | "projects" | "none";
  /** The fields of content that refer to other resources, by kind; they are looked up by value. */
  readonly referenceFields: Readonly<Record<string, string>>;
  /** Returns its id; an integration has its project's. */
  idOf(message: T): string;
  /** Returns its parent; undefined for the installation. */
  ownerOf(message: T): Owner | undefined;
  /** Lists the resources of its project that it refers to, except those of `referenceFields`. */
  referencesOf(message: T): readonly ResourceName[];
}

/** Adds the schema to the description of a kind and types the description by the schema's message. */
function describe<T extends Message, const Rest extends Omit<Kind<T>, "schema">>(
  schema: GenMessage<T>,
  rest: Rest,
): Kind<T> & Pick<Rest, "in" | "keep" | "record"> & { readonly schema: GenMessage<T> } {
  return { ...rest, schema };
}

const DOCUMENT = {
  blocksDeletion: true,
  needs: [],
  keep: "document",
  record: "none",
  quota: "none",
  referenceFields: {},
  idOf: ({ id }: { readonly id: string }) => id,
  referencesOf: (): readonly ResourceName[] => [],
} as const;

const IN_ORGANIZATION = {
  ...DOCUMENT,
  in: "organization",
  record: "imported",
  ownerOf: ({ organizationId: id }: { readonly organizationId: string }): Owner => ({
    type: "organization",
    id,
  }),
} as const;

const IN_PROJECT = {
  ...DOCUMENT,
  in: "project",
  record: "exported",
  quota: "items",
  ownerOf: ({ projectId: id }: { readonly projectId: string }): Owner => ({ type: "project", id }),
} as const;

const CONTENT = {
  ...IN_PROJECT,
  keep: "content",
  referenceFields: { entity: "entity_ids", video: "video_ids" },
} as const;

const INTEGRATION = {
  ...IN_PROJECT,
  blocksDeletion: false,
  keep: "integration",
  quota: "none",
  idOf: ({ projectId }: { readonly projectId: string }) => projectId,
} as const;

/**
 * All kinds of resources. Parents, cascades, references, imports and exports derive from this table;
 * `checkKinds` compares it with the protos.
 */
export const KINDS = {
  organization: describe(OrganizationSchema, {
    ...DOCUMENT,
    in: "installation",
    record: "exported",
    ownerOf: () => undefined,
  }),
  binding: describe(BindingSchema, {
    ...IN_ORGANIZATION,
    blocksDeletion: false,
    needs: ["account", "role"],
  }),
  role: describe(RoleSchema, { ...IN_ORGANIZATION, blocksDeletion: false }),
  account: describe(AccountSchema, { ...IN_ORGANIZATION, quota: "accounts" }),
  project: describe(ProjectSchema, { ...IN_ORGANIZATION, record: "exported", quota: "projects" }),
  access_token: describe(AccessTokenSchema, {
    ...DOCUMENT,
    in: "account",
    ownerOf: ({ accountId: id }) => ({ type: "account", id }),
  }),
  project_key: describe(ProjectKeySchema, { ...IN_PROJECT, record: "none", quota: "keys" }),
  sign_in_integration: describe(SignInIntegrationSchema, INTEGRATION),
  billing_integration: describe(BillingIntegrationSchema, { ...INTEGRATION, record: "none" }),
  entity: describe(EntitySchema, CONTENT),
  creative_work: describe(CreativeWorkSchema, CONTENT),
  event: describe(EventSchema, CONTENT),
  video: describe(VideoSchema, IN_PROJECT),
  action: describe(ActionSchema, IN_PROJECT),
  // Not exported: a copy of a project would announce its changes to the receivers of the original.
  webhook: describe(WebhookSchema, { ...IN_PROJECT, record: "none", quota: "none" }),
  action_run: describe(ActionRunSchema, {
    ...IN_PROJECT,
    blocksDeletion: false,
    keep: "other",
    record: "none",
    quota: "none",
  }),
  annotation_type: describe(AnnotationTypeSchema, {
    ...IN_PROJECT,
    referencesOf: listAnnotationTypeReferences,
  }),
  annotation: describe(AnnotationSchema, {
    ...IN_PROJECT,
    needs: ["video"],
    referencesOf: listAnnotationReferences,
  }),
  banner_collection: describe(BannerCollectionSchema, IN_PROJECT),
  page: describe(PageSchema, IN_PROJECT),
  page_component: describe(PageComponentSchema, {
    ...IN_PROJECT,
    needs: ["page"],
    referencesOf: listPageComponentReferences,
  }),
  ruleset: describe(VideoProtectionRulesetSchema, {
    ...IN_PROJECT,
    referencesOf: listRulesetReferences,
  }),
  offer: describe(OfferSchema, { ...IN_PROJECT, referencesOf: listOfferReferences }),
  transaction: describe(TransactionSchema, {
    ...IN_PROJECT,
    referencesOf: listTransactionReferences,
  }),
  entitlement: describe(EntitlementSchema, {
    ...IN_PROJECT,
    blocksDeletion: false,
    keep: "other",
    referencesOf: listEntitlementReferences,
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
