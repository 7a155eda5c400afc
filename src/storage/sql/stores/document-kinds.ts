import { randomUUID } from "node:crypto";
import type { Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { sql } from "kysely";
import { AccessTokenKind } from "../../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { ProjectKeyKind } from "../../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { TransactionStatus } from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { MAX_BINDINGS } from "../../../domain/access/binding.ts";
import type { ResourceRef } from "../../../domain/access/permissions.ts";
import { foldEmail, toIdentity } from "../../../domain/access/staff-sign-in.ts";
import { targetOf } from "../../../domain/actions/action.ts";
import { MAX_WEBHOOKS } from "../../../domain/actions/webhook.ts";
import type { Reason } from "../../../domain/base/errors.ts";
import {
  KINDS,
  type KindMessage,
  type KindName,
  type KindsWith,
  kindOf,
} from "../../../domain/kinds.ts";
import { isHolder } from "../../../domain/quotas.ts";
import type { DocumentRecordKind } from "../../../domain/records/record.ts";
import { replaceRelease } from "../../../domain/releases/release.ts";
import type { Db, Tx } from "../../db/db.ts";
import { timeColumn } from "../../db/times.ts";
import { checkRolesFit, eraseBindingsOn, toTargetColumns } from "../base/bindings.ts";
import { deleteInSteps } from "../base/delete-some.ts";
import { retireCounter } from "../base/revisions.ts";
import type { StoredDocument } from "../base/stored-document.ts";
import {
  keepQuotas,
  toOrganizationQuotas,
  toProjectQuotas,
  withoutUsage,
  withUsage,
} from "../base/usage.ts";
import { toAnnotationColumns } from "./annotations.ts";
import {
  eraseBoughtEntitlement,
  findEntitlements,
  putGrantedEntitlement,
  toStoredEntitlement,
  writeBoughtEntitlement,
} from "./entitlements.ts";
import { checkPageFits } from "./page-order.ts";
import { checkSlugFree } from "./pages.ts";
import { checkReleaseFits, eraseItems } from "./release-items.ts";
import { checkRulesetsFit } from "./rulesets.ts";
import { findIntegrations, putIntegration } from "./sign-in-integrations.ts";
import { checkEmailFree, eraseStaffSignIn } from "./staff-sign-ins.ts";

/** The kinds whose documents have a table of their own. */
export type TableKind = KindsWith<"keep", "document">;

/** The kinds that are stored as documents, or written as if they were. */
export type StoredKind = DocumentRecordKind | TableKind;

/** A message that is stored as a document. */
export type Document = Message & {
  readonly createTime?: Timestamp | undefined;
  readonly updateTime?: Timestamp | undefined;
};

/** A write of a document: its organization, its revision and its stored form. */
export interface Written {
  readonly organizationId: string;
  readonly revision: number;
  /** The message in binary form. */
  readonly doc: Uint8Array;
}

/** The most documents of a parent. */
export interface Limit {
  readonly most: number;
  readonly reason: Reason;
  /** The kind of the parent, in a message. */
  readonly of: string;
  readonly columns: readonly string[];
}

/** The storage of the documents of one kind. */
export interface DocumentKind<T extends Message = Message> {
  /** The values of a stored document besides its message. */
  readonly stored?: readonly ("billingTransactionId" | "pageId" | "slug")[];
  /** Finds stored documents by their ids; default: the rows of the table. */
  find?(db: Db, ids: readonly string[], organizationId: string): Promise<StoredDocument[]>;
  /** Creates or replaces a document; default: writes a row of the table. */
  put?(tx: Tx, value: T, write: Written & { readonly isNew: boolean }): Promise<void>;
  /** Returns the message of a row with what other columns of the row say; `{}`: the row of a new document. */
  withRow?(value: T, row: object): T;
  /** Returns the message as it is stored. */
  toDocument?(value: T): T;
  /** Returns the message of a record as it replaces the stored one; default: as it is. */
  toReplacing?(imported: T, stored: T | undefined): T;
  /** The expressions of the fields that lists can be ordered by; default: the columns with the same names. */
  readonly orderKeys?: Readonly<Record<string, string>>;
  /** The fields whose equality in a filter is looked up in an index. */
  readonly lookups?: readonly string[];
  /** Returns the columns that are not the parent, of all documents, or named in the table of kinds. */
  columnsOf?(value: T): Readonly<Record<string, unknown>>;
  /** The limit of the documents with the same values of some columns. */
  readonly limit?: Limit;
  /** Rejects a document that conflicts with others. */
  beforeWrite?(tx: Tx, value: T): Promise<void>;
  /** Returns the columns that only a new document sets. */
  newColumnsOf?(revision: number): Readonly<Record<string, unknown>>;
  /** Deletes rows in other tables before a document is deleted. */
  beforeErase?(tx: Tx, document: ResourceRef): Promise<void>;
  /** Writes further rows that derive from a document. */
  afterWrite?(tx: Tx, value: T, write: Written): Promise<void>;
}

/** The kinds that are not stored like the others. */
const DOCUMENT_KINDS: { readonly [Type in StoredKind]?: DocumentKind<KindMessage<Type>> } = {
  organization: {
    toReplacing: keepQuotas,
    columnsOf: toOrganizationQuotas,
    newColumnsOf: startCounter,
    withRow: withUsage,
    toDocument: withoutUsage,
    beforeErase: async (tx, { id }) => {
      await eraseStaffSignIn(tx, id);
      await retireCounter(tx, "organization", id);
    },
  },
  project: {
    toReplacing: keepQuotas,
    columnsOf: toProjectQuotas,
    newColumnsOf: startCounter,
    withRow: withUsage,
    toDocument: withoutUsage,
    beforeErase: (tx, { id }) => retireCounter(tx, "project", id),
  },
  account: {
    columnsOf: ({ email, lastSignIn }) => ({
      email: foldEmail(email),
      identity: lastSignIn ? toIdentity(lastSignIn) : "",
    }),
    beforeWrite: checkEmailFree,
    beforeErase: eraseResponses,
  },
  access_token: {
    columnsOf: ({ expireTime, revokeTime, kind }) => ({
      expire_time: timeColumn(expireTime),
      revoke_time: timeColumn(revokeTime),
      is_session: kind === AccessTokenKind.SESSION ? 1 : 0,
    }),
  },
  project_key: {
    columnsOf: ({ kind }) => ({
      kind: kind === ProjectKeyKind.PREVIEW ? "preview" : "public",
    }),
  },
  binding: {
    lookups: ["account_id", "role_id"],
    limit: {
      ...{ most: MAX_BINDINGS, reason: "BINDING_LIMIT", of: "account" },
      columns: ["account_organization_id", "account_id"],
    },
    beforeWrite: checkRolesFit,
    columnsOf: ({ organizationId, accountOrganizationId, accountId, roleId, resourceKey }) => ({
      account_organization_id: accountOrganizationId || organizationId,
      account_id: accountId,
      role_id: roleId,
      ...toTargetColumns(resourceKey),
    }),
  },
  action: { columnsOf: (value) => ({ target: JSON.stringify(targetOf(value)) }) },
  webhook: {
    limit: { most: MAX_WEBHOOKS, reason: "WEBHOOK_LIMIT", of: "project", columns: ["project_id"] },
  },
  ruleset: { afterWrite: checkRulesetsFit },
  sign_in_integration: { find: findIntegrations, put: putIntegration },
  release: {
    toReplacing: replaceRelease,
    columnsOf: ({ state, applyTime }) => ({ state, apply_time: timeColumn(applyTime) }),
    beforeWrite: checkReleaseFits,
    beforeErase: eraseItems,
  },
  annotation: {
    orderKeys: { offset: "annotation.moment" },
    lookups: ["video_id", "event_id"],
    columnsOf: (value) => ({ visibility: value.visibility, ...toAnnotationColumns(value) }),
  },
  page: {
    stored: ["slug"],
    lookups: ["slug"],
    beforeWrite: checkSlugFree,
  },
  page_component: {
    stored: ["pageId"],
    columnsOf: ({ visibility, groupId, data }) => ({
      visibility,
      group_id: groupId,
      is_filter: data.case === "filter" ? 1 : 0,
    }),
    afterWrite: checkPageFits,
  },
  entitlement: {
    find: findEntitlements,
    put: putGrantedEntitlement,
    toReplacing: toStoredEntitlement,
  },
  transaction: {
    stored: ["billingTransactionId"],
    columnsOf: ({ status, isTest, totalAmount }) => ({
      is_revenue: status === TransactionStatus.CAPTURED && !isTest && totalAmount ? 1 : 0,
      currency_code: totalAmount?.currencyCode ?? "",
      units: totalAmount?.units ?? 0n,
      nanos: totalAmount?.nanos ?? 0,
    }),
    afterWrite: writeBoughtEntitlement,
    beforeErase: eraseBought,
  },
};

/** Returns the columns of a new organization or project, which counts the changes of everything in it. */
function startCounter(revision: number) {
  return { change_count: revision, uid: randomUUID() };
}

/** Deletes the stored responses to the calls of an account, which may be very many. */
async function eraseResponses(tx: Tx, { organizationId, id }: ResourceRef): Promise<void> {
  const condition = sql`organization_id = ${organizationId} and account_id = ${id}`;
  const key = ["organization_id", "account_id", "request_id"];
  await deleteInSteps(tx, { table: "answered_request", key, condition });
}

/** Deletes the entitlement of a transaction, with its bindings. */
async function eraseBought(tx: Tx, transaction: ResourceRef): Promise<void> {
  await eraseBoughtEntitlement(tx, transaction.id, transaction.organizationId);
  await eraseBindingsOn(tx, { ...transaction, kind: "entitlement" });
}

/** The tables that do not have the names of their kinds. */
const TABLES = {
  change: "history",
  creative_work: "content",
  entity: "content",
  event: "content",
  transaction: "transaction_record",
} as const satisfies Partial<Record<KindName, keyof Schema>>;

/** The names of the tables of a union of kinds. */
type TableOf<Name extends KindName> =
  | Exclude<Name, keyof typeof TABLES>
  | (typeof TABLES)[Name & keyof typeof TABLES];

/** Returns the table of the resources of a kind. */
export function tableOf<Name extends KindName>(name: Name): TableOf<Name> {
  return (
    Object.hasOwn(TABLES, name) ? TABLES[name as keyof typeof TABLES] : name
  ) as TableOf<Name>;
}

/** Decides whether the documents of a kind have a table of their own. */
export function isTableKind(name: KindName): name is TableKind {
  return KINDS[name].keep === "document";
}

/** Reports whether the documents of a kind belong to an organization, not to the installation. */
export function isInOrganization(kind: TableKind): boolean {
  return KINDS[kind].in !== "installation";
}

/** Returns the organization that a document belongs to; the installation contains organizations and projects of all. */
export function organizationOf(kind: StoredKind, value: Document, organizationId: string): string {
  if (!isHolder(kind)) return organizationId;
  const { idOf, ownerOf } = kindOf(kind);
  return ownerOf(value)?.id ?? idOf(value);
}

/** Returns the storage of a kind that is known only at run time. */
export function documentKindOf(kind: StoredKind): DocumentKind {
  return DOCUMENT_KINDS[kind] ?? {};
}

/** Returns the parent column of the lists of a kind. */
export function parentColumnOf(kind: TableKind): string {
  return isInOrganization(kind) ? `${KINDS[kind].in}_id` : "id";
}
