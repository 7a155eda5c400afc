import { type DescMessage, equals, toBinary } from "@bufbuild/protobuf";
import { notFound } from "../../domain/errors.ts";
import { KINDS, kindOf, type Owner, toAmounts } from "../../domain/kinds.ts";
import type { Amounts } from "../../domain/quotas.ts";
import type { Db, Tx } from "../db/db.ts";
import { build, type Operand, prepareByKey, type SlotOf } from "../db/query.ts";
import type { DocumentExtras, DocumentMessages, DocumentStore } from "../document-store.ts";
import type { Stored } from "../stored.ts";
import { eraseDocument } from "./cascade.ts";
import type { Connections } from "./connections.ts";
import { documentKindOf, type TableType } from "./document-kinds.ts";
import { listDocuments } from "./document-list.ts";
import { insertDocument, replaceDocument } from "./document-writer.ts";
import { type FindScope, inTransaction, settleAll } from "./in-transaction.ts";
import { locateResource } from "./locate.ts";
import {
  type Counter,
  firstRevision,
  isCounter,
  nextOrganizationRevision,
  nextRevision,
} from "./revisions.ts";
import { scopeOf } from "./scope-of.ts";
import { type StoredRow, toStored } from "./stored-document.ts";
import { growOrganization, hasUsage, usageSelection, withoutUsage, withUsage } from "./usage.ts";

type Extras<Type> = Type extends keyof DocumentExtras ? [extra: DocumentExtras[Type]] : [];

/** Selects the documents of a kind; the ids of organizations and projects are unique in the installation. */
function selectOf(type: TableType, organizationId: Operand<string>) {
  return (
    build
      // The tables share these columns; naming one table provides their types.
      .selectFrom(documentKindOf(type).table as "video")
      .select(["doc", "revision"])
      .$if(isCounter(type), (it) => it.select(usageSelection(type as Counter) as never))
      .$if(!isCounter(type), (it) => it.where("organization_id", "=", organizationId))
  );
}

const selectOne = prepareByKey(
  (slot: SlotOf<{ id: string; organizationId: string }>, type: TableType) =>
    selectOf(type, slot("organizationId")).where("id", "=", slot("id")),
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
  const toValue = (row: StoredRow) => {
    const stored = toStored(schema, row) as Stored<T>;
    return hasUsage(stored.value) ? { ...stored, value: withUsage(stored.value, row) } : stored;
  };
  /** Returns the stored form of a document; usage is read from counters. */
  const toDoc = (value: T) =>
    toBinary(schema as DescMessage, hasUsage(value) ? withoutUsage(value) : value);

  async function readFrom(db: Db, id: string) {
    const [row] = await db.all(selectOne(type, { id, organizationId }));
    if (row === undefined) throw notFound(`${type} ${id}`);
    return { current: toValue(row), bytes: row.doc.length };
  }
  /** Returns the organization of a document; an organization is its own. */
  const placeOf = (value: T) =>
    type === "organization"
      ? value.id
      : type === "project"
        ? (value as DocumentMessages["project"]).organizationId
        : organizationId;
  const moveCounter = (tx: Tx, value: T, growth: Amounts = {}) => {
    const owner = isCounter(type) ? { type, id: value.id } : kindOf(type).ownerOf(value);
    return nextRevisionIn(tx, owner, placeOf(value), growth);
  };

  const replace = (
    id: string,
    change: (current: Stored<T>) => T,
    isUnchanged: (value: T, current: T) => boolean,
  ) =>
    inTransaction(connections, scopeOf(type, id, organizationId), async (tx) => {
      const { current, bytes } = await readFrom(tx, id);
      const value = change(current);
      if (isUnchanged(value, current.value)) return current;
      const doc = toDoc(value);
      const [, revision] = await settleAll([
        kind.beforeWrite?.(tx, value),
        moveCounter(tx, value, toAmounts(type, 0, doc.length - bytes)),
      ]);
      const write = { organizationId: placeOf(value), revision, doc, replaced: current.value };
      await replaceDocument(tx, type, value, write);
      return { value, revision };
    });

  return {
    get: async (id) => (await readFrom(read, id)).current,

    async getMany(ids) {
      if (ids.length === 0) return [];
      const select = selectOf(type, organizationId).where("id", "in", [...ids]);
      return (await read.all(select)).map(toValue);
    },

    list: (query) => listDocuments(read, type, organizationId, query),

    create: (value, ...extras) =>
      inTransaction(
        connections,
        scopeOfNew(kindOf(type).ownerOf(value), organizationId),
        async (tx) => {
          const doc = toDoc(value);
          const [, , revision] = await settleAll([
            type === "project" && growOrganization(tx, placeOf(value), { projects: 1 }),
            kind.beforeWrite?.(tx, value),
            isCounter(type)
              ? firstRevision(tx, type, value.id)
              : moveCounter(tx, value, toAmounts(type, 1, doc.length)),
          ]);
          const place = { organizationId: placeOf(value), revision };
          const inserting = insertDocument(tx, type, value, { ...place, doc, extra: extras[0] });
          const [, written] = await settleAll([
            inserting,
            isCounter(type) && readFrom(tx, value.id),
          ]);
          return written === false ? { value, revision } : written.current;
        },
      ),

    update: (id, change) => replace(id, change, (value, current) => equals(schema, value, current)),

    touch: (id, change) => replace(id, change, () => false),

    delete: (id, check) =>
      inTransaction(connections, scopeOf(type, id, organizationId), async (tx) => {
        const { current, bytes } = await readFrom(tx, id);
        check(current);
        const { value } = current;
        const owner = type === "project" ? { type, id } : kindOf(type).ownerOf(value);
        const [revision] = await settleAll([
          moveCounter(tx, value),
          eraseDocument(tx, dialect, {
            ...{ type, id, bytes, organizationId: placeOf(value) },
            ...(owner?.type === "project" && { projectId: owner.id }),
          }),
        ]);
        return revision;
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

/**
 * Increments the change counter of the parent of a document of an organization, and counts what the write adds to
 * the parent, within its quotas. NOT_FOUND if the organization has no such project or account.
 */
export async function nextRevisionIn(
  tx: Tx,
  owner: Owner | undefined,
  organizationId: string,
  growth: Amounts = {},
): Promise<number> {
  if (owner === undefined) throw new Error("a resource without a parent has no change counter");
  if (owner.type === "project") return nextRevision(tx, owner.id, organizationId, growth);
  if (owner.type === "organization" && owner.id !== organizationId) {
    throw notFound(`organization ${owner.id}`);
  }
  const { accounts = 0 } = growth;
  const [, , revision] = await settleAll([
    owner.type === "account" && locateResource(tx, "account", owner.id, organizationId),
    accounts > 0 && growOrganization(tx, organizationId, { accounts }),
    nextOrganizationRevision(tx, organizationId),
  ]);
  return revision;
}
