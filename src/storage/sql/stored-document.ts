import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { CHECKED_DEPTH } from "../../domain/descriptors.ts";
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

/** Parses a document. */
export function readDocument<Desc extends DescMessage>(
  schema: Desc,
  doc: Uint8Array,
): MessageShape<Desc> {
  return fromBinary(schema, doc, CHECKED_DEPTH);
}
