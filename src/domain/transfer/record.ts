import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { ContentKind } from "../content/order.ts";

/** The kind of a record: the name of its member. */
export type RecordKind =
  | "organization"
  | "project"
  | "role"
  | "account"
  | "binding"
  | "sign_in_integration"
  | ContentKind
  | "video"
  | "action"
  | "annotation_type"
  | "annotation"
  | "banner_collection"
  | "page"
  | "page_component"
  | "ruleset"
  | "offer"
  | "transaction"
  | "entitlement";

/** A record of any kind but content. */
export type DocumentRecordKind = Exclude<RecordKind, ContentKind>;

/** What stands in a record. */
export interface RecordItem<Kind extends RecordKind = RecordKind> {
  readonly kind: Kind;
  /** The resource itself, without what wraps it. */
  readonly message: Message;
  /** The line of the file, from 1; 0 without a file. */
  readonly line: number;
  /** The page of a page component. */
  readonly pageId?: string;
  /** How the billing provider knows a transaction; empty: not at all. */
  readonly billingTransactionId?: string;
}

/** The kinds of records in the order in which an export writes them: that of the members. */
export const RECORD_KINDS = RecordSchema.fields.map(({ name }) => name) as readonly RecordKind[];

/** The kinds whose resource lies one level deeper, in a message that adds to it. */
const WRAPPED: ReadonlySet<RecordKind> = new Set(["page_component", "transaction"]);

/** The message of each kind of resource. */
export const RECORD_SCHEMAS = Object.fromEntries(
  RecordSchema.fields.map(({ name, message }) => [
    name,
    WRAPPED.has(name as RecordKind)
      ? message?.fields.find((it) => it.name === name)?.message
      : message,
  ]),
) as { readonly [Kind in RecordKind]: DescMessage };

/** Tells where the resource of a kind stands in its record. */
export function pathOf(kind: RecordKind): string {
  return WRAPPED.has(kind) ? `${kind}.${kind}` : kind;
}

const CASES = Object.fromEntries(
  RecordSchema.fields.map(({ localName, name }) => [name, localName]),
) as { readonly [Kind in RecordKind]: string };

const KINDS_BY_CASE = new Map(
  RecordSchema.fields.map(({ localName, name }) => [localName, name as RecordKind]),
);

/** Tells whether there are records of a kind. */
export function isRecordKind(text: string): text is RecordKind {
  return Object.hasOwn(RECORD_SCHEMAS, text);
}

/** Takes a resource out of its record; undefined if none is set. */
export function openRecord(
  { resource }: Pick<TransferRecord, "resource">,
  line: number,
): RecordItem | undefined {
  switch (resource.case) {
    case undefined:
      return undefined;
    case "pageComponent": {
      const { pageComponent, pageId } = resource.value;
      return pageComponent && { kind: "page_component", message: pageComponent, line, pageId };
    }
    case "transaction": {
      const { transaction, billingTransactionId } = resource.value;
      return (
        transaction && { kind: "transaction", message: transaction, line, billingTransactionId }
      );
    }
    default: {
      const kind = KINDS_BY_CASE.get(resource.case);
      return kind && { kind, message: resource.value, line };
    }
  }
}

/** Puts a resource into its record. */
export function wrapRecord(item: RecordItem): TransferRecord {
  const { kind, message, pageId = "", billingTransactionId = "" } = item;
  const value =
    kind === "page_component"
      ? { pageId, pageComponent: message }
      : kind === "transaction"
        ? { transaction: message, billingTransactionId }
        : message;
  const resource = { case: CASES[kind], value } as TransferRecord["resource"];
  return create(RecordSchema, { resource });
}

/** What a record belongs to. */
export interface RecordOwner {
  readonly type: "organization" | "project";
  readonly id: string;
}

const IN_ORGANIZATION: ReadonlySet<RecordKind> = new Set(["project", "role", "account", "binding"]);

/**
 * Tells whether the file of one project may hold a kind: what the project owns, the project, and its
 * organization, as an export has them.
 */
export function isPartOfProject(kind: RecordKind): boolean {
  return kind === "project" || !IN_ORGANIZATION.has(kind);
}

/** Tells what a record belongs to: a project, an organization or, being an organization, nothing. */
export function findOwner({ kind, message }: Pick<RecordItem, "kind" | "message">) {
  if (kind === "organization") return undefined;
  const type = IN_ORGANIZATION.has(kind) ? "organization" : "project";
  const id = String(Reflect.get(message, `${type}Id`));
  return { type, id } satisfies RecordOwner;
}

/** Gives the id of a record among those of its kind; a sign-in integration has its project's. */
export function recordIdOf({ kind, message }: Pick<RecordItem, "kind" | "message">): string {
  return String(Reflect.get(message, kind === "sign_in_integration" ? "projectId" : "id"));
}
