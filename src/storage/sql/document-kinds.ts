import type { Message } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Transaction } from "kysely";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import { AnnotationSchema } from "../../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import {
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import {
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { ContentKind } from "../../domain/content/order.ts";
import {
  listAnnotationReferences,
  listAnnotationTypeReferences,
  listOfferReferences,
  listPageComponentReferences,
  listRulesetReferences,
  listTransactionReferences,
  type ResourceName,
} from "../../domain/messages/references.ts";
import type { DocumentMessages, DocumentType } from "../document-store.ts";
import { toAnnotationColumns } from "./annotations.ts";
import { toTargetColumns } from "./binding-targets.ts";
import { writeBoughtEntitlement } from "./entitlements.ts";
import { checkSlugFree } from "./pages.ts";
import type { Schema } from "./schema.ts";
import { timeColumn } from "./times.ts";

/** The types whose documents are rows of a table of their own. */
export type TableType = Exclude<DocumentType, ContentKind>;

/** What a document lies in, and so whose change counter moves with it. */
export type Scope =
  | { readonly organizationId: string }
  | { readonly projectId: string }
  | { readonly accountId: string };

/** How the documents of one type are kept. */
export interface DocumentKind<T extends Message> {
  readonly schema: GenMessage<T>;
  readonly table: DocumentTable;
  /** The column of what their lists are of. */
  readonly parent: "id" | "organization_id" | "project_id" | "account_id" | "page_id";
  readonly scopeOf: (value: T) => Scope;
  /** Fields that lists can be ordered by beside the id, and their columns. */
  readonly orders?: Readonly<Record<string, string>>;
  /** Fields whose equality in a filter is looked up in an index. */
  readonly lookups?: Readonly<Record<string, string>>;
  /** The columns that this type has of its own, so far as the message tells them. */
  readonly columnsOf?: (value: T) => Readonly<Record<string, unknown>>;
  readonly referencesOf?: (value: T) => ResourceName[];
  /** Refuses a document that cannot be kept beside the others. */
  readonly beforeWrite?: (tx: Transaction<Schema>, value: T) => Promise<void>;
  /** Writes what follows from a document besides. */
  readonly afterWrite?: (tx: Transaction<Schema>, value: T, revision: number) => Promise<void>;
}

/** The tables of documents. */
export type DocumentTable = Exclude<TableType, "transaction"> | "transaction_record";

const TIMES = { create_time: "create_time", update_time: "update_time" };

const inProject = ({ projectId }: { readonly projectId: string }): Scope => ({ projectId });
const inOrganization = ({ organizationId }: { readonly organizationId: string }): Scope => ({
  organizationId,
});

/** How the documents of every type are kept. */
export const DOCUMENT_KINDS: {
  readonly [Type in TableType]: DocumentKind<DocumentMessages[Type]>;
} = {
  organization: {
    schema: OrganizationSchema,
    table: "organization",
    parent: "id",
    scopeOf: ({ id }) => ({ organizationId: id }),
    orders: TIMES,
  },
  project: {
    schema: ProjectSchema,
    table: "project",
    parent: "organization_id",
    scopeOf: ({ id }) => ({ projectId: id }),
    orders: TIMES,
    columnsOf: ({ organizationId }) => ({ organization_id: organizationId }),
  },
  account: {
    schema: AccountSchema,
    table: "account",
    parent: "organization_id",
    scopeOf: inOrganization,
    orders: TIMES,
    columnsOf: ({ organizationId }) => ({ organization_id: organizationId }),
  },
  access_token: {
    schema: AccessTokenSchema,
    table: "access_token",
    parent: "account_id",
    scopeOf: ({ accountId }) => ({ accountId }),
    orders: { create_time: "create_time" },
    columnsOf: ({ accountId, expireTime, revokeTime }) => ({
      account_id: accountId,
      expire_time: timeColumn(expireTime),
      revoke_time: timeColumn(revokeTime),
    }),
  },
  project_key: {
    schema: ProjectKeySchema,
    table: "project_key",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    columnsOf: ({ projectId, kind }) => ({
      project_id: projectId,
      kind: kind === ProjectKeyKind.PREVIEW ? "preview" : "public",
    }),
  },
  role: {
    schema: RoleSchema,
    table: "role",
    parent: "organization_id",
    scopeOf: inOrganization,
    orders: TIMES,
    columnsOf: ({ organizationId }) => ({ organization_id: organizationId }),
  },
  binding: {
    schema: BindingSchema,
    table: "binding",
    parent: "organization_id",
    scopeOf: inOrganization,
    orders: { create_time: "create_time" },
    lookups: { account_id: "account_id", role_id: "role_id" },
    columnsOf: ({ organizationId, accountId, roleId, resourceKey }) => ({
      organization_id: organizationId,
      account_id: accountId,
      role_id: roleId,
      ...toTargetColumns(resourceKey),
    }),
  },
  video: {
    schema: VideoSchema,
    table: "video",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    columnsOf: ({ projectId }) => ({ project_id: projectId }),
  },
  action: {
    schema: ActionSchema,
    table: "action",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    columnsOf: ({ projectId }) => ({ project_id: projectId }),
  },
  annotation_type: {
    schema: AnnotationTypeSchema,
    table: "annotation_type",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    columnsOf: ({ projectId }) => ({ project_id: projectId }),
    referencesOf: listAnnotationTypeReferences,
  },
  annotation: {
    schema: AnnotationSchema,
    table: "annotation",
    parent: "project_id",
    scopeOf: inProject,
    orders: { offset: "moment" },
    lookups: { video_id: "video_id", event_id: "event_id" },
    columnsOf: (value) => ({
      project_id: value.projectId,
      visibility: value.visibility,
      ...toAnnotationColumns(value),
    }),
    referencesOf: listAnnotationReferences,
  },
  banner_collection: {
    schema: BannerCollectionSchema,
    table: "banner_collection",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    columnsOf: ({ projectId, visibility }) => ({ project_id: projectId, visibility }),
  },
  page: {
    schema: PageSchema,
    table: "page",
    parent: "project_id",
    scopeOf: inProject,
    orders: TIMES,
    lookups: { slug: "slug" },
    columnsOf: ({ projectId, visibility, slug }) => ({ project_id: projectId, visibility, slug }),
    beforeWrite: checkSlugFree,
  },
  page_component: {
    schema: PageComponentSchema,
    table: "page_component",
    parent: "page_id",
    scopeOf: inProject,
    orders: { position: "position" },
    columnsOf: ({ projectId, visibility, groupId, data }) => ({
      project_id: projectId,
      visibility,
      group_id: groupId,
      is_filter: data.case === "filter" ? 1 : 0,
    }),
    referencesOf: listPageComponentReferences,
  },
  ruleset: {
    schema: VideoProtectionRulesetSchema,
    table: "ruleset",
    parent: "project_id",
    scopeOf: inProject,
    columnsOf: ({ projectId }) => ({ project_id: projectId }),
    referencesOf: listRulesetReferences,
  },
  offer: {
    schema: OfferSchema,
    table: "offer",
    parent: "project_id",
    scopeOf: inProject,
    orders: { ...TIMES, position: "position" },
    columnsOf: ({ projectId, visibility, position }) => ({
      project_id: projectId,
      visibility,
      position,
    }),
    referencesOf: listOfferReferences,
  },
  transaction: {
    schema: TransactionSchema,
    table: "transaction_record",
    parent: "project_id",
    scopeOf: inProject,
    orders: { create_time: "create_time" },
    columnsOf: ({ projectId, status, isTest, totalAmount }) => ({
      project_id: projectId,
      is_revenue: status === TransactionStatus.CAPTURED && !isTest && totalAmount ? 1 : 0,
      currency_code: totalAmount?.currencyCode ?? "",
      units: totalAmount?.units ?? 0n,
      nanos: totalAmount?.nanos ?? 0,
    }),
    referencesOf: listTransactionReferences,
    afterWrite: writeBoughtEntitlement,
  },
};
