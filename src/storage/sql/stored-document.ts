import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { Stored } from "../stored.ts";

/** A row that holds a message. */
export interface StoredRow {
  readonly doc: Uint8Array;
  readonly revision: number;
}

/** Turns a document row into the message that it holds. */
export function toStored<Desc extends DescMessage>(
  schema: Desc,
  row: StoredRow,
): Stored<MessageShape<Desc>> {
  return { value: readDocument(schema, row.doc), revision: row.revision };
}

/**
 * How deep messages may lie in each other in a document. JSON is at most 100 deep when it comes in,
 * and each of its levels takes up to three messages in binary form.
 */
const RECURSION_LIMIT = 400;

/** Reads the message that a document holds. */
export function readDocument<Desc extends DescMessage>(
  schema: Desc,
  doc: Uint8Array,
): MessageShape<Desc> {
  return fromBinary(schema, doc, { recursionLimit: RECURSION_LIMIT });
}
