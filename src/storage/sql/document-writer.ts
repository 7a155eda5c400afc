import { randomUUID } from "node:crypto";
import { type DescMessage, type Message, toBinary } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Transaction } from "kysely";
import { DOCUMENT_KINDS, type DocumentKind, type TableType } from "./document-kinds.ts";
import { addReferences, eraseReferences, type ProjectResource } from "./references.ts";
import { isCounter } from "./revisions.ts";
import type { Schema } from "./schema.ts";
import { timeColumn } from "./times.ts";

/** Inserts a document with all that is looked up of it, under a revision that the caller took. */
export async function insertDocument(
  tx: Transaction<Schema>,
  type: TableType,
  value: Message,
  extra: object | undefined,
  revision: number,
): Promise<void> {
  const kind = kindOf(type);
  const counter = isCounter(type) ? { change_count: revision, uid: randomUUID() } : {};
  const row = {
    id: idOf(value),
    ...rowOf(kind, value, revision),
    ...counter,
    ...toExtraColumns(extra),
  };
  await tx
    .insertInto(kind.table as "video")
    .values(row as never)
    .execute();
  await follow(tx, type, kind, value, revision);
}

/** Puts a document in the place of the one with its id. */
export async function replaceDocument(
  tx: Transaction<Schema>,
  type: TableType,
  value: Message,
  revision: number,
  extra?: object,
): Promise<void> {
  const kind = kindOf(type);
  if (kind.referencesOf !== undefined) await eraseReferences(tx, resourceOf(type, value));
  await tx
    .updateTable(kind.table as "video")
    .set({ ...rowOf(kind, value, revision), ...toExtraColumns(extra) })
    .where("id", "=", idOf(value))
    .execute();
  await follow(tx, type, kind, value, revision);
}

async function follow(
  tx: Transaction<Schema>,
  type: TableType,
  kind: DocumentKind<Message>,
  value: Message,
  revision: number,
): Promise<void> {
  if (kind.referencesOf !== undefined) {
    await addReferences(tx, resourceOf(type, value), kind.referencesOf(value));
  }
  await kind.afterWrite?.(tx, value, revision);
}

function rowOf(kind: DocumentKind<Message>, value: Message, revision: number) {
  return {
    create_time: timeColumn(Reflect.get(value, "createTime") as Timestamp | undefined),
    update_time: timeColumn(Reflect.get(value, "updateTime") as Timestamp | undefined),
    revision,
    doc: toBinary(kind.schema as DescMessage, value),
    ...kind.columnsOf?.(value),
  };
}

/** The columns of what is kept beside messages. */
const EXTRA_COLUMNS: Readonly<Record<string, string>> = {
  billingTransactionId: "billing_transaction_id",
  hash: "hash",
  pageId: "page_id",
  position: "position",
  secret: "secret",
};

function toExtraColumns(extra: object = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(extra).map(([name, value]) => [EXTRA_COLUMNS[name] ?? name, value]),
  );
}

function kindOf(type: TableType): DocumentKind<Message> {
  return DOCUMENT_KINDS[type] as unknown as DocumentKind<Message>;
}

/** Names a document of a project: only those refer to something. */
function resourceOf(type: TableType, value: Message): ProjectResource {
  return { type, id: idOf(value), projectId: String(Reflect.get(value, "projectId")) };
}

function idOf(value: Message): string {
  return String(Reflect.get(value, "id"));
}
