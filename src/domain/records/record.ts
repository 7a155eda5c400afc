import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import {
  RecordSchema,
  type Record as TransferRecord,
} from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { ContentKind } from "../content/order.ts";
import { KINDS, type KindsWith, kindOf } from "../kinds.ts";
import type { Holder } from "../quotas.ts";
import type { RecordMask } from "./record-mask.ts";

/** The kind of a record: the proto name of its oneof member. */
export type RecordKind = KindsWith<"record", "exported" | "imported" | "requested">;

/** The kinds of records except content. */
export type DocumentRecordKind = Exclude<RecordKind, ContentKind>;

/** A stored resource of a kind with records. */
export interface StoredRecord {
  readonly message: Message;
  /** The page of a page component. */
  readonly pageId?: string | undefined;
}

/** The resource of a record and its additions. */
export interface RecordItem<Kind extends RecordKind = RecordKind> {
  readonly kind: Kind;
  /** The resource itself, without its wrapper. */
  readonly message: Message;
  /** The line of the file, counted from 1; 0 without a file. */
  readonly line: number;
  /** The page of a page component. */
  readonly pageId?: string;
  /** The component that a component follows if it is new on its page; empty: it comes first. */
  readonly predecessorId?: string;
  /** True if a component that is on its page keeps its place there, in any order of the records. */
  readonly keepsPlace?: boolean;
  /** The ids of a page's components, in order. */
  readonly componentIds?: readonly string[];
  /** The billing provider's id of a transaction; empty for none. */
  readonly billingTransactionId?: string;
  /** The release whose draft the record is; absent: it is current. */
  readonly releaseId?: string;
  /** True for the resource as it was when its draft was written. */
  readonly isBase?: boolean;
  /** True to delete the resource although others refer to it. */
  readonly isForced?: boolean;
  /** The fields to change of a stored resource; absent: all, also of a new one. */
  readonly mask?: RecordMask;
}

/** The fields of the record's oneof by kind, in the order of an export. */
const MEMBERS: ReadonlyMap<string, DescField> = new Map(
  RecordSchema.oneofs.flatMap(({ fields }) => fields).map((field) => [field.name, field]),
);

/** The kinds of records in the order of an export, which is the order of the oneof members. */
export const RECORD_KINDS = [...MEMBERS.keys()] as readonly RecordKind[];

/** The kinds of records in the export of a project, in its order; releases only on request. */
export const EXPORTED_KINDS = RECORD_KINDS.filter((kind) => KINDS[kind].record === "exported");

/** The message type of each kind of resource. */
export const RECORD_SCHEMAS = Object.fromEntries(
  RECORD_KINDS.map((kind) => [kind, kindOf(kind).schema]),
) as { readonly [Kind in RecordKind]: DescMessage };

/** Returns the path of the resource in a record of the kind: some are wrapped in a message with additions. */
export function pathOf(kind: RecordKind): string {
  return MEMBERS.get(kind)?.message === RECORD_SCHEMAS[kind] ? kind : `${kind}.${kind}`;
}

/** Reports whether a text is a kind of record. */
export function isRecordKind(text: string): text is RecordKind {
  return MEMBERS.has(text);
}

/** Returns the resource of a record; undefined if none is set. */
export function openRecord(record: TransferRecord, line: number): RecordItem | undefined {
  const item = openResource(record, line);
  const { releaseId, base: isBase, force: isForced } = record;
  return item === undefined || releaseId === "" ? item : { ...item, releaseId, isBase, isForced };
}

function openResource(
  { resource, pageComponentIds }: Pick<TransferRecord, "pageComponentIds" | "resource">,
  line: number,
): RecordItem | undefined {
  switch (resource.case) {
    case undefined:
      return undefined;
    case "pageComponent": {
      const { pageComponent, pageId, after } = resource.value;
      if (pageComponent === undefined) return undefined;
      const placed = { pageId, ...(after !== undefined && { predecessorId: after }) };
      return { kind: "page_component", message: pageComponent, line, ...placed };
    }
    case "page": {
      const order = pageComponentIds.length > 0 && { componentIds: pageComponentIds };
      return { kind: "page", message: resource.value, line, ...order };
    }
    case "transaction": {
      const { transaction, billingTransactionId } = resource.value;
      return (
        transaction && { kind: "transaction", message: transaction, line, billingTransactionId }
      );
    }
    default: {
      const kind = RecordSchema.field[resource.case].name as RecordKind;
      return { kind, message: resource.value, line };
    }
  }
}

/** Creates the record of a resource. */
export function wrapRecord(item: RecordItem): TransferRecord {
  const { kind, message, pageId = "", billingTransactionId = "", componentIds = [] } = item;
  const { predecessorId, releaseId = "", isBase: base = false, isForced: force = false } = item;
  const value =
    kind === "page_component"
      ? {
          pageId,
          pageComponent: message,
          ...(predecessorId !== undefined && { after: predecessorId }),
        }
      : kind === "transaction"
        ? { transaction: message, billingTransactionId }
        : message;
  const resource = { case: MEMBERS.get(kind)?.localName, value } as TransferRecord["resource"];
  const draft = { releaseId, base, force };
  return create(RecordSchema, { resource, pageComponentIds: [...componentIds], ...draft });
}

/**
 * Reports whether the file of one project may contain a kind: the project, its organization, and
 * everything that the project owns.
 */
export function isPartOfProject(kind: RecordKind): boolean {
  return KINDS[kind].record !== "imported";
}

/** Returns the project or organization that owns a record; undefined for an organization. */
export function findOwner({ kind, message }: Pick<RecordItem, "kind" | "message">) {
  return kindOf(kind).ownerOf(message) as Holder | undefined;
}

/** Returns the id of a record, unique within its kind; a sign-in integration has its project's. */
export function recordIdOf({ kind, message }: Pick<RecordItem, "kind" | "message">): string {
  return kindOf(kind).idOf(message);
}
