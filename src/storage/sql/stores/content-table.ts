import { equals, type Message } from "@bufbuild/protobuf";
import { alreadyExists, notFound } from "../../../domain/base/errors.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import type { ContentKind } from "../../../domain/content/order.ts";
import { ALL_VISIBILITIES } from "../../../domain/content/visibility.ts";
import { type Kind, kindOf, toAmounts } from "../../../domain/kinds.ts";
import { type Content, prepareItem, readContent } from "../../content/content-rows.ts";
import type {
  Deletion,
  DocumentMessages,
  DocumentPage,
  DocumentQuery,
  DocumentStore,
  Stored,
} from "../../contract/document-store.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { eraseBindingsOn } from "../base/bindings.ts";
import { type Connections, OrganizationPart } from "../base/connections.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { createListBudget } from "../base/list-budget.ts";
import { readMany } from "../base/read-documents.ts";
import { ContentReads } from "../content/content-store.ts";
import { ContentWriter } from "../content/write/content-writer.ts";
import { type IndexedItem, toItemWrite } from "../content/write/item-write.ts";
import { eraseItems } from "../content/write/stored-items.ts";
import { scopeOf } from "./locate.ts";
import { WriteUnit } from "./write-unit.ts";

/** Stores the content of one kind in an organization, for the Studio API. */
export class ContentTable<Type extends ContentKind, T extends DocumentMessages[Type]>
  extends OrganizationPart
  implements DocumentStore<T>
{
  readonly #kind: Type;
  readonly #description: Kind;

  constructor(connections: Connections, kind: Type, organizationId: string) {
    super(connections, organizationId);
    this.#kind = kind;
    this.#description = kindOf(kind);
  }

  async get(id: string): Promise<Stored<T>> {
    const [stored] = await this.getMany([id]);
    if (stored === undefined) throw notFound(this.#kind, id);
    return stored;
  }

  async getMany(ids: readonly string[]): Promise<Stored<T>[]> {
    const select = this.#select().select(["id", "doc", "revision"]);
    const values: Stored<T>[] = [];
    for await (const rows of readMany(this.read, ids, select)) {
      values.push(...rows.map(({ doc, revision }) => ({ value: this.#toValue(doc), revision })));
    }
    return values;
  }

  async list({
    parentIds: [projectId = ""],
    budget = createListBudget(),
    ...query
  }: DocumentQuery): Promise<DocumentPage<T>> {
    const { read, dialect } = this.connections;
    const { entries, next } = await new ContentReads({ read, dialect }, this.#kind).list({
      ...query,
      budget,
      projectId,
      visibilities: ALL_VISIBILITIES,
      at: undefined,
      words: [],
    });
    const values: T[] = [];
    for (const { item } of entries) {
      await budget.nextStep();
      values.push(budget.count(() => this.#toValue(item.json)));
    }
    return { values, ...(next && { next }) };
  }

  create(value: T): Promise<Stored<T>> {
    const scope = { projectIds: [value.projectId] };
    return inTransaction(this.connections, scope, (tx) => this.#insert(tx, value));
  }

  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    return this.#replace(id, change, (value, current) =>
      equals(this.#description.schema, value, current),
    );
  }

  touch(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>> {
    return this.#replace(id, change, () => false);
  }

  delete(id: string, check: (current: Stored<T>) => void): Promise<Deletion> {
    const organizationId = this.organizationId;
    const kind: ContentKind = this.#kind;
    return inTransaction(this.connections, scopeOf(kind, id, organizationId), async (tx) => {
      const { stored, current } = await this.#read(tx, id);
      check(current);
      const { projectId } = current.value;
      await eraseBindingsOn(tx, { kind, id, organizationId, projectId });
      const growth = toAmounts(kind, -1, -sizeOf(stored));
      const write = { kind, value: current.value, organizationId, isNew: false, growth };
      const [revision] = await settleAll([
        new WriteUnit(tx).count(write),
        eraseItems(tx, this.connections.dialect, [stored.item]),
      ]);
      return { revision, dependents: [] };
    });
  }

  #replace(
    id: string,
    change: (current: Stored<T>) => T,
    isUnchanged: (value: T, current: T) => boolean,
  ): Promise<Stored<T>> {
    const scope = scopeOf(this.#kind, id, this.organizationId);
    return inTransaction(this.connections, scope, async (tx) => {
      const { stored, current } = await this.#read(tx, id);
      const value = change(current);
      if (isUnchanged(value, current.value)) return current;
      return this.#insert(tx, value, stored);
    });
  }

  async #insert(tx: Tx, value: T, old?: IndexedItem): Promise<Stored<T>> {
    const { dialect } = this.connections;
    const kind: ContentKind = this.#kind;
    const item = prepareItem({ kind, message: value, line: 0 } as Content);
    const writes = [toItemWrite(item, old)];
    const bytes = sizeOf(item) - (old === undefined ? 0 : sizeOf(old));
    const isNew = old === undefined;
    const growth = toAmounts(kind, isNew ? 1 : 0, bytes);
    const organizationId = this.organizationId;
    const writer = new ContentWriter(tx, dialect);
    const [revision] = await settleAll([
      new WriteUnit(tx).count({ kind, value, organizationId, isNew, growth }),
      isNew ? this.#checkUntaken(tx, value.id) : undefined,
      writer.prepare(writes),
    ]);
    await writer.write(writes, revision);
    await writer.end();
    return { value, revision };
  }

  /** The insert is sent ahead: its failure would not name the item. */
  async #checkUntaken(tx: Tx, id: string): Promise<void> {
    const [taken] = await tx.all(this.#select().select("item").where("id", "=", id));
    if (taken !== undefined) throw alreadyExists(this.#kind, id);
  }

  /** Reads an item; NOT_FOUND if there is none. */
  async #read(db: Db, id: string): Promise<{ stored: IndexedItem; current: Stored<T> }> {
    const columns = ["item", "visibility", "sort_time", "doc", "revision"] as const;
    const [stored] = await db.all(this.#select().select(columns).where("id", "=", id));
    if (stored === undefined) throw notFound(this.#kind, id);
    return { stored, current: { value: this.#toValue(stored.doc), revision: stored.revision } };
  }

  #select() {
    return build
      .selectFrom("content")
      .where("organization_id", "=", this.organizationId)
      .where("kind", "=", this.#kind as ContentKind);
  }

  #toValue(json: string): T {
    return readContent(this.#kind, json) as Message as T;
  }
}

function sizeOf({ doc }: { readonly doc: string }): number {
  return Buffer.byteLength(doc);
}
