import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import type { Stored } from "../stored.ts";

/** The row of a document. */
export interface StoredRow {
  readonly doc: Uint8Array;
  readonly revision: number;
}

/** Returns the message of a row with its revision. */
export function toStored<Desc extends DescMessage>(
  schema: Desc,
  row: StoredRow,
): Stored<MessageShape<Desc>> {
  return { value: readDocument(schema, row.doc), revision: row.revision };
}

/**
 * The deepest nesting of messages in a document. Incoming JSON is at most 100 levels deep, and a level takes
 * up to three messages in binary form.
 */
const RECURSION_LIMIT = 400;

/** Parses a document. */
export function readDocument<Desc extends DescMessage>(
  schema: Desc,
  doc: Uint8Array,
): MessageShape<Desc> {
  return fromBinary(schema, doc, { recursionLimit: RECURSION_LIMIT });
}
