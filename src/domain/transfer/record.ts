import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { ContentKind } from "../content/order.ts";
import { readField } from "../messages/field-value.ts";

/** The kind of a record: the proto name of its oneof member. */
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

/** The kinds of records except content. */
export type DocumentRecordKind = Exclude<RecordKind, ContentKind>;

/** The resource of a record and its additions. */
export interface RecordItem<Kind extends RecordKind = RecordKind> {
  readonly kind: Kind;
  /** The resource itself, without its wrapper. */
  readonly message: Message;
  /** The line of the file, counted from 1; 0 without a file. */
  readonly line: number;
  /** The page of a page component. */
  readonly pageId?: string;
  /** The billing provider's id of a transaction; empty for none. */
  readonly billingTransactionId?: string;
}

/** The kinds of records in the order of an export, that of the oneof members. */
export const RECORD_KINDS = RecordSchema.fields.map(({ name }) => name) as readonly RecordKind[];

/** The kinds whose resource is wrapped in a message with additions. */
const WRAPPED: ReadonlySet<RecordKind> = new Set(["page_component", "transaction"]);

/** The message type of each kind of resource. */
export const RECORD_SCHEMAS = Object.fromEntries(
  RecordSchema.fields.map(({ name, message }) => [
    name,
    WRAPPED.has(name as RecordKind)
      ? message?.fields.find((it) => it.name === name)?.message
      : message,
  ]),
) as { readonly [Kind in RecordKind]: DescMessage };

/** Returns the path of the resource in a record of the kind. */
export function pathOf(kind: RecordKind): string {
  return WRAPPED.has(kind) ? `${kind}.${kind}` : kind;
}

const CASES = Object.fromEntries(
  RecordSchema.fields.map(({ localName, name }) => [name, localName]),
) as { readonly [Kind in RecordKind]: string };

const KINDS_BY_CASE = new Map(
  RecordSchema.fields.map(({ localName, name }) => [localName, name as RecordKind]),
);

/** Reports whether a text is a kind of record. */
export function isRecordKind(text: string): text is RecordKind {
  return Object.hasOwn(RECORD_SCHEMAS, text);
}

/** Returns the resource of a record; undefined if none is set. */
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

/** Creates the record of a resource. */
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

/** The owner of a record. */
export interface RecordOwner {
  readonly type: "organization" | "project";
  readonly id: string;
}

const IN_ORGANIZATION: ReadonlySet<RecordKind> = new Set(["project", "role", "account", "binding"]);

/**
 * Reports whether the file of one project may contain a kind: the project, its organization, and
 * everything that the project owns.
 */
export function isPartOfProject(kind: RecordKind): boolean {
  return kind === "project" || !IN_ORGANIZATION.has(kind);
}

/** Returns the project or organization that owns a record; undefined for an organization. */
export function findOwner({ kind, message }: Pick<RecordItem, "kind" | "message">) {
  const field = OWNER_FIELDS.get(kind);
  if (field === undefined) return undefined;
  const type = IN_ORGANIZATION.has(kind) ? "organization" : "project";
  return { type, id: String(readField(message, field)) } satisfies RecordOwner;
}

/** Returns the id of a record among those of its kind; a sign-in integration has its project's. */
export function recordIdOf({ kind, message }: Pick<RecordItem, "kind" | "message">): string {
  return String(readField(message, ID_FIELDS[kind]));
}

/** The field of each kind that holds its id. */
const ID_FIELDS = Object.fromEntries(
  RECORD_KINDS.map((kind) => [
    kind,
    requireField(kind, kind === "sign_in_integration" ? "project_id" : "id"),
  ]),
) as { readonly [Kind in RecordKind]: DescField };

/** The field of each kind but organizations that holds the id of its owner. */
const OWNER_FIELDS: ReadonlyMap<RecordKind, DescField> = new Map(
  RECORD_KINDS.filter((kind) => kind !== "organization").map((kind) => [
    kind,
    requireField(kind, IN_ORGANIZATION.has(kind) ? "organization_id" : "project_id"),
  ]),
);

/** Throws at start if a field was renamed in the contract. */
function requireField(kind: RecordKind, name: string): DescField {
  const field = RECORD_SCHEMAS[kind].fields.find((it) => it.name === name);
  if (field === undefined) throw new Error(`${RECORD_SCHEMAS[kind].typeName} has no field ${name}`);
  return field;
}
