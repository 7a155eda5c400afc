import { equals, type Message } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { notFound } from "../../../domain/base/errors.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import { type Kind, kindOf, type Owner } from "../../../domain/kinds.ts";
import { type HolderKind, isHolder } from "../../../domain/quotas.ts";
import type {
  Deletion,
  DocumentMessages,
  DocumentPage,
  DocumentQuery,
  DocumentStore,
  Extra,
  Stored,
} from "../../contract/document-store.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, type Operand, prepareByKey, type SlotOf } from "../../db/query.ts";
import { type Connections, OrganizationPart } from "../base/connections.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { type FindScope, inTransaction } from "../base/in-transaction.ts";
import { readMany } from "../base/read-documents.ts";
import { readDocument, type StoredRow } from "../base/stored-document.ts";
import { usageSelection } from "../base/usage.ts";
import { eraseDocument } from "./cascade.ts";
import {
  type DocumentKind,
  documentKindOf,
  organizationOf,
  parentColumnOf,
  type TableKind,
  tableOf,
} from "./document-kinds.ts";
import { putDocument } from "./document-writer.ts";
import { scopeOf } from "./locate.ts";
import { WriteUnit } from "./write-unit.ts";

/**
 * Selects the documents of a type in an organization. Ids of organizations and projects are unique in the
 * installation; their rows contain their usage.
 */
function selectDocuments(kind: TableKind, organizationId: Operand<string>) {
  const select = build.selectFrom(tableOf(kind)).select(["doc", "revision"]);
  return isHolder(kind)
    ? select.select(usageSelection(kind))
    : select.where("organization_id", "=", organizationId);
}

const selectOne = prepareByKey(
  (slot: SlotOf<{ id: string; organizationId: string }>, kind: TableKind) =>
    selectDocuments(kind, slot("organizationId")).where("id", "=", slot("id")),
);

/** Stores the documents of one kind in an organization. */
export class DocumentTable<
    Type extends TableKind,
    T extends Message & { id: string } = DocumentMessages[Type],
  >
  extends OrganizationPart
  implements DocumentStore<T, Extra<Type>>
{
  readonly #kind: Type;
  readonly #description: Kind;
  readonly #storage: DocumentKind;

  constructor(connections: Connections, kind: Type, organizationId: string) {
    super(connections, organizationId);
    this.#kind = kind;
    this.#description = kindOf(kind);
    this.#storage = documentKindOf(kind);
  }

  async get(id: string): Promise<Stored<T>> {
    return (await this.#read(this.read, id)).current;
  }

  async getMany(ids: readonly string[]): Promise<Stored<T>[]> {
    const select = selectDocuments(this.#kind, this.organizationId).select("id");
    const values: Stored<T>[] = [];
    for await (const rows of readMany(this.read, ids, select)) {
      values.push(...rows.map((row) => this.#toStored(row)));
    }
    return values;
  }

  async list(
    query: DocumentQuery,
    show: (value: T) => T = (value) => value,
  ): Promise<DocumentPage<T>> {
    if (query.parentIds.length === 0) return { values: [] };
    const kind: TableKind = this.#kind;
    const { orderKeys, lookups = [] } = this.#storage;
    const parent = parentColumnOf(kind);
    const rows = build
      .selectFrom(tableOf(kind))
      .select(["id", "doc"])
      .$if(isHolder(kind), (it) => it.select(usageSelection(kind as HolderKind)))
      .where(sql.ref(parent), "in", [...query.parentIds])
      // The ids of other parents are unique only in their organization.
      .$if(!["id", "organization_id", "project_id"].includes(parent), (it) =>
        it.where("organization_id", "=", this.organizationId),
      );
    return listFiltered(this.read, query, rows, {
      table: tableOf(kind),
      orderKeys,
      hasUnset: true,
      // The ids of one parent alone are in the order of an index.
      isSliced: query.parentIds.length === 1,
      lookups,
      schema: this.#description.schema,
      toValue: (row) => show(this.#toValue(row)),
    });
  }

  create(value: T, ...extras: Extra<Type>): Promise<Stored<T>> {
    const scope = scopeOfNew(this.#description.ownerOf(value), this.organizationId);
    return inTransaction(this.connections, scope, (tx) =>
      this.insert(tx, value, async () => extras[0]),
    );
  }

  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    return this.#inScopeOf(id, (tx) => this.replace(tx, id, change));
  }

  touch(
    id: string,
    change: (current: Stored<T>) => T,
    ...[extra]: Extra<Type> | []
  ): Promise<Stored<T>> {
    const options = { isAlwaysWritten: true, extra };
    return this.#inScopeOf(id, (tx) => this.replace(tx, id, change, options));
  }

  delete(id: string, check: (current: Stored<T>) => void): Promise<Deletion> {
    return this.#inScopeOf(id, (tx) => this.remove(tx, id, async (current) => check(current)));
  }

  /** Inserts a document in a transaction, with the values stored with it. */
  async insert(tx: Tx, value: T, findExtra: () => Promise<object | undefined>): Promise<Stored<T>> {
    const place = { organizationId: this.organizationId, findExtra };
    const { revision } = await putDocument(new WriteUnit(tx), this.#kind, value, place);
    return { value: (this.#storage.withRow?.(value, {}) as T | undefined) ?? value, revision };
  }

  /** Replaces a document in a transaction by the result of a change, unless both are equal. */
  async replace(
    tx: Tx,
    id: string,
    change: (current: Stored<T>) => T,
    {
      isAlwaysWritten = false,
      extra,
      check = async () => {},
    }: {
      /** True to write an equal document too. */
      readonly isAlwaysWritten?: boolean;
      /** New values that are stored with the document. */
      readonly extra?: object | undefined;
      /** Rejects a new value before it is compared. */
      readonly check?: (value: T, current: T) => Promise<void>;
    } = {},
  ): Promise<Stored<T>> {
    const { current, bytes } = await this.#read(tx, id);
    const value = change(current);
    await check(value, current.value);
    if (!isAlwaysWritten && equals(this.#description.schema, value, current.value)) return current;
    const { revision } = await putDocument(new WriteUnit(tx), this.#kind, value, {
      organizationId: this.organizationId,
      replaced: { value: current.value, bytes },
      findExtra: async () => extra,
    });
    return { value, revision };
  }

  /** Deletes a document with its dependents in a transaction. */
  async remove(
    tx: Tx,
    id: string,
    check: (current: Stored<T>) => Promise<void>,
  ): Promise<Deletion> {
    const { current, bytes } = await this.#read(tx, id);
    await check(current);
    const { value } = current;
    const organizationId = organizationOf(this.#kind, value, this.organizationId);
    const projectId = this.#projectOf(value);
    const [revision, dependents] = await settleAll([
      new WriteUnit(tx).count({
        ...{ kind: this.#kind, value, organizationId },
        ...{ isNew: false, growth: {} },
      }),
      eraseDocument(tx, this.connections.dialect, {
        ...{ kind: this.#kind, id, bytes, organizationId },
        ...(projectId !== undefined && { projectId }),
      }),
    ]);
    return { revision, ...(dependents && { dependents }) };
  }

  /** Reads a document and the size of its stored form; NOT_FOUND if there is none. */
  async #read(
    db: Db,
    id: string,
  ): Promise<{ readonly current: Stored<T>; readonly bytes: number }> {
    const kind: TableKind = this.#kind;
    const organizationId = this.organizationId;
    const [row] = await db.all(selectOne(kind, { id, organizationId }));
    if (row === undefined) throw notFound(kind, id);
    return { current: this.#toStored(row), bytes: row.doc.length };
  }

  #toStored(row: StoredRow): Stored<T> {
    return { value: this.#toValue(row), revision: row.revision };
  }

  /** Returns the document of a row. */
  #toValue(row: Pick<StoredRow, "doc">): T {
    const value: Message = readDocument(this.#description.schema, row.doc);
    return (this.#storage.withRow?.(value, row) ?? value) as T;
  }

  #projectOf(value: T): string | undefined {
    if (this.#kind === "project") return value.id;
    const owner = this.#description.ownerOf(value);
    return owner?.kind === "project" ? owner.id : undefined;
  }

  #inScopeOf<Result>(id: string, run: (tx: Tx) => Promise<Result>): Promise<Result> {
    const scope = scopeOf(this.#kind, id, this.organizationId);
    return inTransaction(this.connections, scope, run);
  }
}

/** Finds the scope of a new document by its parent. */
function scopeOfNew(owner: Owner | undefined, organizationId: string): FindScope {
  if (owner?.kind === "account") return scopeOf("account", owner.id, organizationId);
  return async () => {
    if (owner === undefined) return "installation";
    return owner.kind === "project" ? { projectIds: [owner.id] } : { organizationId: owner.id };
  };
}
