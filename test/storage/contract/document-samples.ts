import { createHash } from "node:crypto";
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { WebhookSchema } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { ProjectKeySchema } from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { TransactionSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { ReleaseSchema } from "../../../gen/svc/type/v1/release_pb.ts";
import type { DocumentStore, Documents } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, GAMMA } from "../small-dataset.ts";

/** A document of any type. */
export type AnyDocument = Message & { readonly id: string };

/** Makes documents of one type, and says what their lists can be ordered by. */
export interface DocumentSample {
  readonly type: keyof Documents;
  /** Where documents can lie: two parents in which there is nothing of the type yet. */
  readonly parents: readonly [string, string];
  /** The counter that their revisions come from, if that is another document. */
  readonly root?: "organization" | "project";
  /** A text field of the message, by both of its names. */
  readonly label: { readonly local: string; readonly proto: string };
  /** Makes a document with a value of its label, `label` being the id if absent. */
  make(id: string, parent: string, init?: Readonly<Record<string, unknown>>): AnyDocument;
  /** What is given beside the document when it is created. */
  extras(id: string): readonly object[];
  /** Fields to order by beside the id, and how a document gets a value of one: a whole number. */
  readonly orders: Readonly<Record<string, (value: number) => Readonly<Record<string, unknown>>>>;
}

/** Organizations, projects and accounts with nothing in them. */
export const EMPTY: Dataset = {
  organizations: ["acme", "other", "third", "fourth"].map((id) => ({ id, name: id })),
  projects: [
    { id: ALPHA, organizationId: "acme", name: "Alpha" },
    { id: GAMMA, organizationId: "other", name: "Gamma" },
  ],
  accounts: [
    { id: "ann", organizationId: "acme", name: "Ann" },
    { id: "eve", organizationId: "other", name: "Eve" },
  ],
  ...{ bindings: [], entities: [], creativeWorks: [], events: [], videos: [], annotations: [] },
  ...{ annotationTypes: [], bannerCollections: [], pages: [], rulesets: [], offers: [] },
  ...{ transactions: [], signInIntegrations: [] },
};

const time = (seconds: number) => ({ seconds: BigInt(seconds) });
const CREATED = { create_time: (value: number) => ({ createTime: time(value) }) };
const TIMES = { ...CREATED, update_time: (value: number) => ({ updateTime: time(value) }) };
const TITLE = { "title.en": (value: number) => ({ title: { en: String(value) } }) };

const inProject = { parent: "projectId", parents: [ALPHA, GAMMA], root: "project" } as const;
const inOrganization = {
  parent: "organizationId",
  parents: ["third", "fourth"],
  root: "organization",
} as const;
const named = { label: { local: "name", proto: "name" } };
const typed = { label: { local: "contentType", proto: "content_type" } };

/** Every type of document that is made by itself. */
export const DOCUMENT_SAMPLES: readonly DocumentSample[] = [
  sample("organization", OrganizationSchema, {
    ...{ parent: "id", parents: ["one", "two"], orders: TIMES },
    ...{ ...named, init: { usage: {} } },
  }),
  sample("project", ProjectSchema, {
    ...{ parent: "organizationId", parents: ["third", "fourth"], orders: TIMES },
    ...{ ...named, init: { usage: {} } },
  }),
  sample("account", AccountSchema, { ...inOrganization, ...named, orders: TIMES }),
  sample("access_token", AccessTokenSchema, {
    ...{ parent: "accountId", parents: ["ann", "eve"], root: "organization" },
    ...named,
    orders: CREATED,
    extra: (id) => ({ hash: hash(id) }),
  }),
  sample("role", RoleSchema, { ...inOrganization, ...named, orders: TIMES }),
  sample("binding", BindingSchema, {
    ...inOrganization,
    label: { local: "roleId", proto: "role_id" },
    orders: CREATED,
    init: { accountId: "ann", accountOrganizationId: "acme", resourceKey: "third/organization" },
  }),
  sample("project_key", ProjectKeySchema, {
    ...{ ...inProject, ...named, orders: TIMES },
    extra: (id) => ({ hash: hash(id) }),
  }),
  sample("video", VideoSchema, { ...inProject, ...named, orders: TIMES }),
  sample("action", ActionSchema, {
    ...{ ...inProject, ...named, orders: TIMES },
    extra: () => ({ secret: "whsec_x" }),
  }),
  sample("webhook", WebhookSchema, {
    ...{ ...inProject, ...named, orders: TIMES },
    extra: () => ({ secret: "whsec_x" }),
  }),
  sample("release", ReleaseSchema, {
    ...{ ...inProject, ...named },
    orders: { ...TIMES, apply_time: (value) => ({ applyTime: time(value) }) },
  }),
  sample("annotation_type", AnnotationTypeSchema, { ...inProject, ...named, orders: TIMES }),
  sample("annotation", AnnotationSchema, {
    ...inProject,
    label: { local: "timerLabel", proto: "timer_label" },
    orders: { offset: (value) => ({ offset: time(value) }) },
  }),
  sample("banner_collection", BannerCollectionSchema, { ...inProject, ...named, orders: TIMES }),
  sample("page", PageSchema, {
    ...inProject,
    label: { local: "slug", proto: "slug" },
    orders: TIMES,
  }),
  sample("ruleset", VideoProtectionRulesetSchema, { ...inProject, ...named, orders: {} }),
  sample("offer", OfferSchema, {
    ...{ ...inProject, ...named },
    orders: { ...TIMES, position: (position) => ({ position }) },
  }),
  sample("transaction", TransactionSchema, {
    ...{ ...inProject, orders: CREATED },
    label: { local: "userId", proto: "user_id" },
    extra: (id) => ({ billingTransactionId: `billing ${id}` }),
  }),
  sample("entity", EntitySchema, { ...inProject, ...typed, orders: { ...TIMES, ...TITLE } }),
  sample("creative_work", CreativeWorkSchema, {
    ...{ ...inProject, ...typed },
    orders: { ...TIMES, ...TITLE, release_time: (value) => ({ releaseTime: time(value) }) },
  }),
  sample("event", EventSchema, {
    ...{ ...inProject, ...typed },
    orders: { ...TIMES, ...TITLE, start_time: (value) => ({ startTime: time(value) }) },
  }),
];

const ORGANIZATIONS: Readonly<Record<string, string>> = {
  [ALPHA]: "acme",
  [GAMMA]: "other",
  ann: "acme",
  eve: "other",
};

/** Names the organization of something that documents of a sample lie in. */
export function organizationOf(parent: string): string {
  return ORGANIZATIONS[parent] ?? parent;
}

/** Gets the store of a sample's documents in the organization of a parent; default: of its first. */
export function documentsOf(
  store: Pick<Store, "in">,
  { type, parents }: Pick<DocumentSample, "parents" | "type">,
  parent = parents[0],
): DocumentStore<AnyDocument, readonly object[]> {
  return store.in(organizationOf(parent)).documents[type] as unknown as DocumentStore<
    AnyDocument,
    readonly object[]
  >;
}

interface SampleParts extends Pick<DocumentSample, "label" | "orders" | "parents" | "root"> {
  /** The field that says what a document lies in. */
  readonly parent: string;
  readonly init?: Readonly<Record<string, unknown>>;
  readonly extra?: (id: string) => object;
}

function sample(
  type: keyof Documents,
  schema: DescMessage,
  { parent, init, extra, ...parts }: SampleParts,
): DocumentSample {
  return {
    type,
    ...parts,
    make: (id, parentId, more) => {
      const fields = { [parent]: parentId, [parts.label.local]: id, ...init, id, ...more };
      return create(schema, fields as never) as AnyDocument;
    },
    extras: (id) => (extra === undefined ? [] : [extra(id)]),
  };
}

function hash(id: string): Uint8Array {
  return createHash("sha256").update(id).digest();
}
