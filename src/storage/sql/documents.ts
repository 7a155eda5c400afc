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
import { createStatements } from "./statement.ts";
import { type StoredRow, toStored } from "./stored-document.ts";

type Extras<Type> = Type extends keyof DocumentExtras ? [extra: DocumentExtras[Type]] : [];

/** Selects the documents of a kind; the ids of organizations and projects are unique in the installation. */
function selectOf(db: Kysely<Schema>, type: TableType, organizationId: string) {
  return (
    db
      // The tables share these columns; naming one table provides their types.
      .selectFrom(documentKindOf(type).table as "video")
      .select(["doc", "revision"])
      .$if(!isCounter(type), (it) => it.where("organization_id", "=", organizationId))
  );
}

const selectOne = createStatements(
  (db, { id, organizationId }: { id: string; organizationId: string }, type: TableType) =>
    selectOf(db, type, organizationId).where("id", "=", id),
);

/** Creates the store of the documents of one kind in an organization. */
export function createDocumentStore<Type extends TableType>(
  connections: Connections,
  type: Type,
  organizationId: string,
): DocumentStore<DocumentMessages[Type], Extras<Type>> {
  type T = DocumentMessages[Type];
  const { read, dialect } = connections;
  const kind = documentKindOf(type);
  const { schema } = KINDS[type];
  const toValue = (row: StoredRow) => toStored(schema, row) as Stored<T>;

  async function getFrom(db: Kysely<Schema>, id: string): Promise<Stored<T>> {
    const [row] = await selectOne(type)(db, { id, organizationId });
    if (row === undefined) throw notFound(`${type} ${id}`);
    return toValue(row);
  }
  /** Returns the organization of a document; an organization is its own. */
  const placeOf = (value: T) =>
    type === "organization"
      ? value.id
      : type === "project"
        ? (value as DocumentMessages["project"]).organizationId
        : organizationId;
  const moveCounter = (tx: Transaction<Schema>, value: T) => {
    const owner = isCounter(type) ? { type, id: value.id } : kindOf(type).ownerOf(value);
    return nextRevisionIn(tx, owner, placeOf(value));
  };

  const replace = (
    id: string,
    change: (current: Stored<T>) => T,
    isUnchanged: (value: T, current: T) => boolean,
  ) =>
    inTransaction(connections, scopeOf(type, id, organizationId), async (tx) => {
      const current = await getFrom(tx, id);
      const value = change(current);
      if (isUnchanged(value, current.value)) return current;
      await kind.beforeWrite?.(tx, value);
      const revision = await moveCounter(tx, value);
      const write = { organizationId: placeOf(value), revision, replaced: current.value };
      await replaceDocument(tx, type, value, write);
      return { value, revision };
    });

  return {
    get: (id) => getFrom(read, id),

    async getMany(ids) {
      if (ids.length === 0) return [];
      const select = selectOf(read, type, organizationId).where("id", "in", [...ids]);
      return (await select.execute()).map(toValue);
    },

    list: (query) => listDocuments(read, type, organizationId, query),

    create: (value, ...extras) =>
      inTransaction(
        connections,
        scopeOfNew(kindOf(type).ownerOf(value), organizationId),
        async (tx) => {
          if (type === "project") await checkOrganization(tx, value as DocumentMessages["project"]);
          await kind.beforeWrite?.(tx, value);
          const revision = isCounter(type)
            ? await firstRevision(tx, type, value.id)
            : await moveCounter(tx, value);
          const place = { organizationId: placeOf(value), revision };
          await insertDocument(tx, type, value, { ...place, extra: extras[0] });
          return { value, revision };
        },
      ),

    update: (id, change) => replace(id, change, (value, current) => equals(schema, value, current)),

    touch: (id, change) => replace(id, change, () => false),

    delete: (id, check) =>
      inTransaction(connections, scopeOf(type, id, organizationId), async (tx) => {
        const current = await getFrom(tx, id);
        check(current);
        await moveCounter(tx, current.value);
        await eraseDocument(tx, dialect, await locateResource(tx, type, id, organizationId));
      }),
  };
}

/** Finds the scope of a new document by its parent. */
function scopeOfNew(owner: Owner | undefined, organizationId: string): FindScope {
  if (owner?.type === "account") return scopeOf("account", owner.id, organizationId);
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

/**
 * Increments the change counter of the parent of a document of an organization. NOT_FOUND if the
 * organization has no such project or account.
 */
export async function nextRevisionIn(
  tx: Transaction<Schema>,
  owner: Owner | undefined,
  organizationId: string,
): Promise<number> {
  if (owner === undefined) throw new Error("a resource without a parent has no change counter");
  if (owner.type === "project") return nextRevision(tx, owner.id, organizationId);
  if (owner.type === "account") await locateResource(tx, "account", owner.id, organizationId);
  else if (owner.id !== organizationId) throw notFound(`organization ${owner.id}`);
  return nextOrganizationRevision(tx, organizationId);
}
