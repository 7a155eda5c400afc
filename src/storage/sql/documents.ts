import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { GetStore, Stored, UpdateStore } from "../store.ts";
import { nextRevision } from "./revisions.ts";
import type { Connections, Schema } from "./schema.ts";

/** A table that holds nothing but documents, named like the resource type that it keeps. */
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

/** Creates the reads and updates of one document table. */
export function createUpdateStore<Desc extends DescMessage>(
  connections: Connections,
  table: DocumentTable,
  schema: Desc,
): UpdateStore<MessageShape<Desc>> {
  return {
    ...createGetStore(connections, table, schema),
    update: (id, change) =>
      connections.write.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom(table)
          .select(["doc", "revision", "project_id"])
          .where("id", "=", id)
          .executeTakeFirst();
        if (row === undefined) throw notFound(`${table} ${id}`);
        const value = change(toStored(schema, row));
        const revision = await nextRevision(tx, row.project_id);
        await tx
          .updateTable(table)
          .set({ doc: toBinary(schema, value), revision })
          .where("id", "=", id)
          .execute();
        return { value, revision };
      }),
  };
}

/** Keeps a new document in one table. */
export async function insertDocument<Desc extends DescMessage>(
  tx: Transaction<Schema>,
  table: DocumentTable,
  schema: Desc,
  value: MessageShape<Desc> & { readonly id: string; readonly projectId: string },
): Promise<Stored<MessageShape<Desc>>> {
  const revision = await nextRevision(tx, value.projectId);
  await tx
    .insertInto(table)
    .values({
      id: value.id,
      project_id: value.projectId,
      revision,
      doc: toBinary<DescMessage>(schema, value),
    })
    .execute();
  return { value, revision };
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
