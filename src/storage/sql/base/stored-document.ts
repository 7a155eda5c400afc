import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { CHECKED_DEPTH } from "../../../domain/base/descriptors.ts";
import type { Stored } from "../../contract/document-store.ts";

/** The row of a document. */
export interface StoredRow {
  readonly doc: Uint8Array;
  readonly revision: number;
}

/** A stored document, of any project or organization. */
export interface StoredDocument {
  readonly id: string;
  /** The id of its owner; empty for an organization. */
  readonly ownerId: string;
  readonly doc: Uint8Array;
  readonly revision?: number;
  /** The page of a page component. */
  readonly pageId?: string;
  /** The slug of a page. */
  readonly slug?: string;
  readonly billingTransactionId?: string;
  /** Entitlements only: whether a transaction grants it. */
  readonly isBought?: boolean;
}

/** Returns the message of a row with its revision. */
export function toStored<Desc extends DescMessage>(
  schema: Desc,
  row: StoredRow,
): Stored<MessageShape<Desc>> {
  return { value: readDocument(schema, row.doc), revision: row.revision };
}

/** Parses a document. */
export function readDocument<Desc extends DescMessage>(
  schema: Desc,
  doc: Uint8Array,
): MessageShape<Desc> {
  return fromBinary(schema, doc, CHECKED_DEPTH);
}
