import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { notFound } from "../../domain/errors.ts";
import type { GetStore, Stored } from "../store.ts";
import type { Connections } from "./schema.ts";

/** A table of documents that are read by id alone, named like the resource type that it keeps. */
export type DocumentTable = "annotation" | "annotation_type" | "ruleset";

/** Creates the reads of one document table. */
export function createGetStore<Desc extends DescMessage>(
  { read }: Connections,
  table: DocumentTable,
  schema: Desc,
): GetStore<MessageShape<Desc>> {
  return {
    async get(id) {
      const row = await read
        .selectFrom(table)
        .select(["doc", "revision"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row === undefined) throw notFound(`${table} ${id}`);
      return toStored(schema, row);
    },
  };
}

/** Turns a document row into the message that it holds. */
export function toStored<Desc extends DescMessage>(
  schema: Desc,
  row: { readonly doc: Uint8Array; readonly revision: number },
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
