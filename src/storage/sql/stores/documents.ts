import { equals, type Message, toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { sizeOfDocument } from "../../../domain/base/cut-page.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { type Kind, kindOf, type Owner, toAmounts } from "../../../domain/kinds.ts";
import type { Amounts } from "../../../domain/quotas.ts";
import type {
  Deletion,
  DocumentExtras,
  DocumentMessages,
  DocumentPage,
  DocumentQuery,
  DocumentStore,
} from "../../contract/document-store.ts";
import type { Stored } from "../../contract/stored.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, type Operand, prepareByKey, type SlotOf } from "../../db/query.ts";
import type { Connections } from "../base/connections.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { type FindScope, inTransaction, settleAll } from "../base/in-transaction.ts";
import {
  type Counter,
  isCounter,
  nextOrganizationRevision,
  nextRevision,
} from "../base/revisions.ts";
import { readDocument, type StoredRow } from "../base/stored-document.ts";
import { growOrganization, usageSelection } from "../base/usage.ts";
import { eraseDocument } from "./cascade.ts";
import {
  type DocumentKind,
  documentKindOf,
  parentColumnOf,
  type TableType,
  tableOf,
} from "./document-kinds.ts";
import { insertDocument, replaceDocument } from "./document-writer.ts";
import { locateResource } from "./locate.ts";
import { scopeOf } from "./scope-of.ts";

type Extras<Type> = Type extends keyof DocumentExtras ? [extra: DocumentExtras[Type]] : [];

/**
 * Selects the documents of a type in an organization. Ids of organizations and projects are unique in the
 * installation; their rows contain their usage.
 */
function selectDocuments(type: TableType, organizationId: Operand<string>) {
  const select = build.selectFrom(tableOf(type)).select(["doc", "revision"]);
  return isCounter(type)
    ? select.select(usageSelection(type))
    : select.where("organization_id", "=", organizationId);
}

const selectOne = prepareByKey(
  (slot: SlotOf<{ id: string; organizationId: string }>, type: TableType) =>
    selectDocuments(type, slot("organizationId")).where("id", "=", slot("id")),
);

/** Stores the documents of one kind in an organization. */
export class DocumentTable<
  Type extends TableType,
  T extends Message & { id: string } = DocumentMessages[Type],
> implements DocumentStore<T, Extras<Type>>
{
  protected readonly connections: Connections;
  protected readonly type: Type;
  protected readonly organizationId: string;
  protected readonly kind: Kind;
  readonly #storage: DocumentKind;

  constructor(connections: Connections, type: Type, organizationId: string) {
    this.connections = connections;
    this.type = type;
    this.organizationId = organizationId;
    this.kind = kindOf(type);
    this.#storage = documentKindOf(type);
  }

  async get(id: string): Promise<Stored<T>> {
    return (await this.read(this.connections.read, id)).current;
  }

  async getMany(ids: readonly string[]): Promise<Stored<T>[]> {
    if (ids.length === 0) return [];
    const select = selectDocuments(this.type, this.organizationId).where("id", "in", [...ids]);
    return (await this.connections.read.all(select)).map((row) => this.toStored(row));
  }

  async list(query: DocumentQuery): Promise<DocumentPage<T>> {
    if (query.parentIds.length === 0) return { values: [] };
    const type: TableType = this.type;
    const { orderColumns, lookups = [] } = this.#storage;
    const parent = parentColumnOf(type);
    const rows = build
      .selectFrom(tableOf(type))
      .select(["id", "doc"])
      .$if(isCounter(type), (it) => it.select(usageSelection(type as Counter)))
      .where(sql.ref(parent), "in", [...query.parentIds])
      // The ids of other parents are unique only in their organization.
      .$if(!["id", "organization_id", "project_id"].includes(parent), (it) =>
        it.where("organization_id", "=", this.organizationId),
      );
    return listFiltered(this.connections.read, query, rows, {
      table: tableOf(type),
      orderColumns,
      hasUnset: true,
      lookups,
      schema: this.kind.schema,
      toValue: (row) => this.toValue(row),
      sizeOf: sizeOfDocument,
    });
  }

  create(value: T, ...extras: Extras<Type>): Promise<Stored<T>> {
    const scope = scopeOfNew(this.kind.ownerOf(value), this.organizationId);
    return inTransaction(this.connections, scope, (tx) =>
      this.insert(tx, value, async () => extras[0]),
    );
  }

  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    return this.#inScopeOf(id, (tx) => this.replace(tx, id, change));
  }

  touch(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    return this.#inScopeOf(id, (tx) => this.replace(tx, id, change, { isAlwaysWritten: true }));
  }

  delete(id: string, check: (current: Stored<T>) => void): Promise<Deletion> {
    return this.#inScopeOf(id, (tx) => this.remove(tx, id, async (current) => check(current)));
  }

  /** Inserts a document in a transaction, with the values stored with it. */
  async insert(tx: Tx, value: T, findExtra: () => Promise<object | undefined>): Promise<Stored<T>> {
    const doc = this.toDoc(value);
    const [, revision, extra] = await settleAll([
      this.#storage.beforeWrite?.(tx, value),
      this.begin(tx, value, toAmounts(this.type, 1, doc.length)),
      findExtra(),
    ]);
    const write = { organizationId: this.organizationOf(value), revision, doc, extra };
    const inserting = insertDocument(tx, this.type, value, write);
    const [, stored] = await settleAll([inserting, this.readNew(tx, { value, revision })]);
    return stored;
  }

  /** Replaces a document in a transaction by the result of a change, unless both are equal. */
  async replace(
    tx: Tx,
    id: string,
    change: (current: Stored<T>) => T,
    {
      isAlwaysWritten = false,
      check = async () => {},
    }: {
      /** True to write an equal document too. */
      readonly isAlwaysWritten?: boolean;
      /** Rejects a new value before it is compared. */
      readonly check?: (value: T, current: T) => Promise<void>;
    } = {},
  ): Promise<Stored<T>> {
    const { current, bytes } = await this.read(tx, id);
    const value = change(current);
    await check(value, current.value);
    if (!isAlwaysWritten && equals(this.kind.schema, value, current.value)) return current;
    const doc = this.toDoc(value);
    const [, revision] = await settleAll([
      this.#storage.beforeWrite?.(tx, value),
      this.count(tx, value, toAmounts(this.type, 0, doc.length - bytes)),
    ]);
    const organizationId = this.organizationOf(value);
    const write = { organizationId, revision, doc, replaced: current.value };
    await replaceDocument(tx, this.type, value, write);
    return { value, revision };
  }

  /** Deletes a document with its dependents in a transaction. */
  async remove(
    tx: Tx,
    id: string,
    check: (current: Stored<T>) => Promise<void>,
  ): Promise<Deletion> {
    const { current, bytes } = await this.read(tx, id);
    await check(current);
    const { value } = current;
    const projectId = this.projectOf(value);
    const place = { type: this.type, id, bytes, organizationId: this.organizationOf(value) };
    const [revision, dependents] = await settleAll([
      this.count(tx, value, {}),
      eraseDocument(tx, this.connections.dialect, {
        ...place,
        ...(projectId !== undefined && { projectId }),
      }),
    ]);
    return { revision, ...(dependents && { dependents }) };
  }

  /** Reads a document and the size of its stored form; NOT_FOUND if there is none. */
  protected async read(
    db: Db,
    id: string,
  ): Promise<{ readonly current: Stored<T>; readonly bytes: number }> {
    const { type, organizationId } = this;
    const [row] = await db.all(selectOne(type, { id, organizationId }));
    if (row === undefined) throw notFound(type, id);
    return { current: this.toStored(row), bytes: row.doc.length };
  }

  protected toStored(row: StoredRow): Stored<T> {
    return { value: this.toValue(row), revision: row.revision };
  }

  /** Returns the document of a row. */
  protected toValue({ doc }: Pick<StoredRow, "doc">): T {
    return readDocument(this.kind.schema, doc) as Message as T;
  }

  /** Returns the stored form of a document. */
  protected toDoc(value: T): Uint8Array {
    return toBinary(this.kind.schema, value);
  }

  protected organizationOf(_value: T): string {
    return this.organizationId;
  }

  protected projectOf(value: T): string | undefined {
    const owner = this.kind.ownerOf(value);
    return owner?.type === "project" ? owner.id : undefined;
  }

  /** Returns a document whose insert has been sent. */
  protected async readNew(_tx: Tx, inserted: Stored<T>): Promise<Stored<T>> {
    return inserted;
  }

  /** Counts a new document; returns its revision. */
  protected begin(tx: Tx, value: T, growth: Amounts): Promise<number> {
    return this.count(tx, value, growth);
  }

  /** Counts a change and the growth of the parent; returns its revision. */
  protected count(tx: Tx, value: T, growth: Amounts): Promise<number> {
    return nextRevisionIn(tx, this.kind.ownerOf(value), this.organizationOf(value), growth);
  }

  #inScopeOf<Result>(id: string, run: (tx: Tx) => Promise<Result>): Promise<Result> {
    const scope = scopeOf(this.type, id, this.organizationId);
    return inTransaction(this.connections, scope, run);
  }
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
 * Increments the change counter of the parent of a document of an organization, and adds the growth of the write to
 * the parent, within its quotas. NOT_FOUND if the organization has no such project or account.
 */
async function nextRevisionIn(
  tx: Tx,
  owner: Owner | undefined,
  organizationId: string,
  growth: Amounts,
): Promise<number> {
  if (owner === undefined) throw new Error("a resource without a parent has no change counter");
  if (owner.type === "project") return nextRevision(tx, owner.id, organizationId, growth);
  if (owner.type === "organization" && owner.id !== organizationId) {
    throw notFound("organization", owner.id);
  }
  const { accounts = 0 } = growth;
  const [, , revision] = await settleAll([
    owner.type === "account" && locateResource(tx, "account", owner.id, organizationId),
    accounts > 0 && growOrganization(tx, organizationId, { accounts }),
    nextOrganizationRevision(tx, organizationId),
  ]);
  return revision;
}
