import { randomUUID } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import type { Transaction } from "kysely";
import { kindOf } from "../../domain/kinds.ts";
import { type Document, documentKindOf, type TableType, type Written } from "./document-kinds.ts";
import { addReferences, eraseReferences } from "./references.ts";
import { isCounter } from "./revisions.ts";
import type { Schema } from "./schema.ts";
import { timeColumn } from "./times.ts";

/** A write of a document under a revision that the caller obtained. */
export interface DocumentWrite extends Written {
  /** The values stored beside the message. */
  readonly extra?: object | undefined;
}

/** Inserts a document with its index entries. */
export async function insertDocument(
  tx: Transaction<Schema>,
  type: TableType,
  value: Document,
  write: DocumentWrite,
): Promise<void> {
  const counter = isCounter(type) ? { change_count: write.revision, uid: randomUUID() } : {};
  const row = {
    ...(type !== "organization" && { organization_id: write.organizationId }),
    id: kindOf(type).idOf(value),
    ...toRow(type, value, write),
    ...counter,
  };
  await tx
    .insertInto(documentKindOf(type).table as "video")
    .values(row as never)
    .execute();
  await follow(tx, type, value, write);
}

/** Replaces the document with the same id. */
export async function replaceDocument(
  tx: Transaction<Schema>,
  type: TableType,
  value: Document,
  write: DocumentWrite,
): Promise<void> {
  const { idOf, ownerOf } = kindOf(type);
  const id = idOf(value);
  const owner = ownerOf(value);
  if (owner?.type === "project") await eraseReferences(tx, { type, id, projectId: owner.id });
  await tx
    .updateTable(documentKindOf(type).table as "video")
    .set(toRow(type, value, write))
    .where(type === "organization" ? "id" : "organization_id", "=", write.organizationId)
    .where("id", "=", id)
    .execute();
  await follow(tx, type, value, write);
}

/** Writes the index entries of a document in other tables. */
async function follow(
  tx: Transaction<Schema>,
  type: TableType,
  value: Document,
  write: DocumentWrite,
): Promise<void> {
  const { idOf, ownerOf, referencesOf } = kindOf(type);
  const owner = ownerOf(value);
  if (owner?.type === "project") {
    const from = { type, id: idOf(value), projectId: owner.id };
    await addReferences(tx, from, referencesOf(value));
  }
  await documentKindOf(type).afterWrite?.(tx, value, write);
}

function toRow(type: TableType, value: Document, { revision, extra }: DocumentWrite) {
  const { schema, ownerOf } = kindOf(type);
  const owner = ownerOf(value);
  return {
    ...(owner && { [`${owner.type}_id`]: owner.id }),
    create_time: timeColumn(value.createTime),
    update_time: timeColumn(value.updateTime),
    revision,
    doc: toBinary(schema, value),
    ...documentKindOf(type).columnsOf?.(value),
    ...toExtraColumns(extra),
  };
}

/** Returns the columns of the values that are stored beside a message, in snake case. */
function toExtraColumns(extra: object = {}): Record<string, unknown> {
  const toColumn = (name: string) => name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);
  return Object.fromEntries(Object.entries(extra).map(([name, it]) => [toColumn(name), it]));
}
