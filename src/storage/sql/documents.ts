import type { DescMessage } from "@bufbuild/protobuf";
import type { Kysely, Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { DocumentExtras, DocumentMessages, DocumentStore } from "../document-store.ts";
import type { Stored } from "../store.ts";
import { eraseDocument } from "./cascade.ts";
import type { Connections } from "./connections.ts";
import { DOCUMENT_KINDS, type Scope, type TableType } from "./document-kinds.ts";
import { listDocuments } from "./document-list.ts";
import { insertDocument, replaceDocument } from "./document-writer.ts";
import { type FindScope, inTransaction, scopeOf } from "./in-transaction.ts";
import { locateResource } from "./locate.ts";
import { firstRevision, isCounter, nextOrganizationRevision, nextRevision } from "./revisions.ts";
import type { Schema } from "./schema.ts";
import { type StoredRow, toStored } from "./stored-document.ts";

type Extras<Type> = Type extends keyof DocumentExtras ? [extra: DocumentExtras[Type]] : [];

/** Creates the store of one type's documents. */
export function createDocumentStore<Type extends TableType>(
  connections: Connections,
  type: Type,
): DocumentStore<DocumentMessages[Type], Extras<Type>> {
  type T = DocumentMessages[Type];
  const { read } = connections;
  const kind = DOCUMENT_KINDS[type];
  const schema = kind.schema as DescMessage;
  // The tables have the columns used here in common; naming one of them tells the types.
  const table = kind.table as "video";
  const toValue = (row: StoredRow) => toStored(schema, row) as Stored<T>;

  async function getFrom(db: Kysely<Schema>, id: string): Promise<Stored<T>> {
    const row = await db
      .selectFrom(table)
      .select(["doc", "revision"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) throw notFound(`${type} ${id}`);
    return toValue(row);
  }
  const moveCounter = (tx: Transaction<Schema>, value: T) =>
    nextRevisionIn(tx, kind.scopeOf(value as never));

  return {
    get: (id) => getFrom(read, id),

    async getMany(ids) {
      if (ids.length === 0) return [];
      const rows = await read
        .selectFrom(table)
        .select(["doc", "revision"])
        .where("id", "in", [...ids])
        .execute();
      return rows.map(toValue);
    },

    list: (query) => listDocuments(read, type, query),

    create: (value, ...extras) =>
      inTransaction(connections, scopeOfNew(type, value), async (tx) => {
        if (type === "project") await checkOrganization(tx, value as DocumentMessages["project"]);
        await kind.beforeWrite?.(tx, value as never);
        const revision = isCounter(type)
          ? await firstRevision(tx, type, value.id)
          : await moveCounter(tx, value);
        await insertDocument(tx, type, value, extras[0], revision);
        return { value, revision };
      }),

    update: (id, change) =>
      inTransaction(connections, scopeOf(type, id), async (tx) => {
        const current = await getFrom(tx, id);
        const value = change(current);
        if (value === current.value) return current;
        await kind.beforeWrite?.(tx, value as never);
        const revision = await moveCounter(tx, value);
        await replaceDocument(tx, type, value, revision);
        return { value, revision };
      }),

    delete: (id, check) =>
      inTransaction(connections, scopeOf(type, id), async (tx) => {
        const current = await getFrom(tx, id);
        check(current);
        await moveCounter(tx, current.value);
        await eraseDocument(tx, await locateResource(tx, type, id));
      }),
  };
}

/** A new project is its organization's; so is what belongs to an account. */
function scopeOfNew<Type extends TableType>(type: Type, value: DocumentMessages[Type]): FindScope {
  if (type === "project") {
    const { organizationId } = value as DocumentMessages["project"];
    return async () => ({ organizationId });
  }
  const scope = DOCUMENT_KINDS[type].scopeOf(value as never);
  if ("projectId" in scope) return async () => ({ projectIds: [scope.projectId] });
  if ("accountId" in scope) return scopeOf("account", scope.accountId);
  return async () => scope;
}

async function checkOrganization(
  tx: Transaction<Schema>,
  { organizationId }: DocumentMessages["project"],
): Promise<void> {
  const found = await tx
    .selectFrom("organization")
    .select("id")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  if (found === undefined) throw notFound(`organization ${organizationId}`);
}

/** Moves the change counter of what a document lies in. */
export async function nextRevisionIn(tx: Transaction<Schema>, scope: Scope): Promise<number> {
  if ("projectId" in scope) return nextRevision(tx, scope.projectId);
  if ("organizationId" in scope) return nextOrganizationRevision(tx, scope.organizationId);
  const row = await tx
    .selectFrom("account")
    .select("organization_id")
    .where("id", "=", scope.accountId)
    .executeTakeFirst();
  if (row === undefined) throw notFound(`account ${scope.accountId}`);
  return nextOrganizationRevision(tx, row.organization_id);
}
