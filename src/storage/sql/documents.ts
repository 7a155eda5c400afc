import { equals } from "@bufbuild/protobuf";
import type { Kysely, Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import { KINDS, kindOf, type Owner } from "../../domain/kinds.ts";
import type { DocumentExtras, DocumentMessages, DocumentStore } from "../document-store.ts";
import type { Stored } from "../stored.ts";
import { eraseDocument } from "./cascade.ts";
import type { Connections } from "./connections.ts";
import { documentKindOf, type TableType } from "./document-kinds.ts";
import { listDocuments } from "./document-list.ts";
import { insertDocument, replaceDocument } from "./document-writer.ts";
import { type FindScope, inTransaction } from "./in-transaction.ts";
import { locateResource } from "./locate.ts";
import { firstRevision, isCounter, nextOrganizationRevision, nextRevision } from "./revisions.ts";
import type { Schema } from "./schema.ts";
import { scopeOf } from "./scope-of.ts";
import { type StoredRow, toStored } from "./stored-document.ts";

type Extras<Type> = Type extends keyof DocumentExtras ? [extra: DocumentExtras[Type]] : [];

/** Creates the store of the documents of one kind. */
export function createDocumentStore<Type extends TableType>(
  connections: Connections,
  type: Type,
): DocumentStore<DocumentMessages[Type], Extras<Type>> {
  type T = DocumentMessages[Type];
  const { read, dialect } = connections;
  const kind = documentKindOf(type);
  const { schema } = KINDS[type];
  // The tables share these columns; naming one table provides their types.
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
    isCounter(type)
      ? nextRevisionIn(tx, { type, id: value.id })
      : nextRevisionIn(tx, kindOf(type).ownerOf(value));

  const replace = (
    id: string,
    change: (current: Stored<T>) => T,
    isUnchanged: (value: T, current: T) => boolean,
  ) =>
    inTransaction(connections, scopeOf(type, id), async (tx) => {
      const current = await getFrom(tx, id);
      const value = change(current);
      if (isUnchanged(value, current.value)) return current;
      await kind.beforeWrite?.(tx, value);
      const revision = await moveCounter(tx, value);
      await replaceDocument(tx, type, value, revision);
      return { value, revision };
    });

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
      inTransaction(connections, scopeOfNew(kindOf(type).ownerOf(value)), async (tx) => {
        if (type === "project") await checkOrganization(tx, value as DocumentMessages["project"]);
        await kind.beforeWrite?.(tx, value);
        const revision = isCounter(type)
          ? await firstRevision(tx, type, value.id)
          : await moveCounter(tx, value);
        await insertDocument(tx, type, value, extras[0], revision);
        return { value, revision };
      }),

    update: (id, change) => replace(id, change, (value, current) => equals(schema, value, current)),

    touch: (id, change) => replace(id, change, () => false),

    delete: (id, check) =>
      inTransaction(connections, scopeOf(type, id), async (tx) => {
        const current = await getFrom(tx, id);
        check(current);
        await moveCounter(tx, current.value);
        await eraseDocument(tx, dialect, await locateResource(tx, type, id));
      }),
  };
}

/** Finds the scope of a new document by what it lies in. */
function scopeOfNew(owner: Owner | undefined): FindScope {
  if (owner?.type === "account") return scopeOf("account", owner.id);
  return async () => {
    if (owner === undefined) return "installation";
    return owner.type === "project" ? { projectIds: [owner.id] } : { organizationId: owner.id };
  };
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

/** Increments the change counter of a document's parent. */
export async function nextRevisionIn(
  tx: Transaction<Schema>,
  owner: Owner | undefined,
): Promise<number> {
  if (owner === undefined) throw new Error("what lies in nothing has no change counter");
  if (owner.type === "project") return nextRevision(tx, owner.id);
  if (owner.type === "organization") return nextOrganizationRevision(tx, owner.id);
  const row = await tx
    .selectFrom("account")
    .select("organization_id")
    .where("id", "=", owner.id)
    .executeTakeFirst();
  if (row === undefined) throw notFound(`account ${owner.id}`);
  return nextOrganizationRevision(tx, row.organization_id);
}
