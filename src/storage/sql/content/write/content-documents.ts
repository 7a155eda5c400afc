import { equals, fromJsonString } from "@bufbuild/protobuf";
import type { ContentKind } from "../../../../domain/content/order.ts";
import { ALL_VISIBILITIES } from "../../../../domain/content/visibility.ts";
import { CHECKED_DEPTH } from "../../../../domain/descriptors.ts";
import { alreadyExists, notFound } from "../../../../domain/errors.ts";
import { KINDS, toAmounts } from "../../../../domain/kinds.ts";
import type { Tx } from "../../../db/db.ts";
import { build } from "../../../db/query.ts";
import type { DocumentMessages, DocumentStore } from "../../../document-store.ts";
import type { Stored } from "../../../stored.ts";
import { eraseBindingsOn } from "../../binding-targets.ts";
import type { Connections } from "../../connections.ts";
import { inTransaction, settleAll } from "../../in-transaction.ts";
import { nextRevision } from "../../revisions.ts";
import { scopeOf } from "../../scope-of.ts";
import { createCollections } from "../collections.ts";
import { ContentReads } from "../content-store.ts";
import { toContentBatch } from "./content-rows.ts";
import { ContentWriter } from "./content-writer.ts";
import { eraseItems } from "./stored-items.ts";

/** Creates the store of one kind of content for management. */
export function createContentDocuments<Kind extends ContentKind>(
  connections: Connections,
  kind: Kind,
  organizationId: string,
): DocumentStore<DocumentMessages[Kind]> {
  type T = DocumentMessages[Kind];
  const { read, dialect } = connections;
  // Management caches nothing between calls.
  const collections = createCollections({ knownRevision: () => undefined });
  const contents = new ContentReads({ read, dialect, collections }, kind);
  const { schema } = KINDS[kind];
  const toValue = (json: string) => fromJsonString(schema, json, CHECKED_DEPTH) as T;

  async function selectForWrite(tx: Tx, id: string) {
    const row = await tx.first(
      build
        .selectFrom("content")
        .select(["item", "doc", "revision"])
        .where("organization_id", "=", organizationId)
        .where("kind", "=", kind)
        .where("id", "=", id),
    );
    if (row === undefined) throw notFound(`${kind} ${id}`);
    const current: Stored<T> = { value: toValue(row.doc), revision: row.revision };
    return { item: row.item, bytes: Buffer.byteLength(row.doc), current };
  }

  /** The insert is sent ahead: its failure would not name the item. */
  async function checkUntaken(tx: Tx, id: string): Promise<void> {
    const taken = await tx.first(
      build
        .selectFrom("content")
        .select("item")
        .where("organization_id", "=", organizationId)
        .where("kind", "=", kind)
        .where("id", "=", id),
    );
    if (taken !== undefined) throw alreadyExists(kind, id);
  }

  async function insert(
    tx: Tx,
    value: T,
    replaced?: { readonly bytes: number; readonly item: number },
  ): Promise<Stored<T>> {
    const batch = toContentBatch([{ kind, message: value, line: 0 }]);
    const [{ doc } = { doc: "" }] = batch.items;
    const bytes = Buffer.byteLength(doc) - (replaced?.bytes ?? 0);
    const growth = toAmounts(kind, replaced === undefined ? 1 : 0, bytes);
    const writer = new ContentWriter(tx, dialect);
    const [revision] = await settleAll([
      nextRevision(tx, value.projectId, organizationId, growth),
      replaced === undefined
        ? checkUntaken(tx, value.id)
        : eraseItems(tx, dialect, [replaced.item]),
      writer.prepare(batch),
    ]);
    await writer.write(batch, () => revision);
    await writer.end();
    return { value, revision };
  }

  const replace = (
    id: string,
    change: (current: Stored<T>) => T,
    isUnchanged: (value: T, current: T) => boolean,
  ) =>
    inTransaction(connections, scopeOf(kind, id, organizationId), async (tx) => {
      const { item, bytes, current } = await selectForWrite(tx, id);
      const value = change(current);
      if (isUnchanged(value, current.value)) return current;
      return insert(tx, value, { bytes, item });
    });

  return {
    async get(id) {
      const [found] = await this.getMany([id]);
      if (found === undefined) throw notFound(`${kind} ${id}`);
      return found;
    },

    async getMany(ids) {
      if (ids.length === 0) return [];
      const rows = await read.all(
        build
          .selectFrom("content")
          .select(["doc", "revision"])
          .where("organization_id", "=", organizationId)
          .where("kind", "=", kind)
          .where("id", "in", [...ids]),
      );
      return rows.map(({ doc, revision }) => ({ value: toValue(doc), revision }));
    },

    async list({ parentIds: [projectId = ""], ...query }) {
      const { entries, next } = await contents.list({
        ...query,
        projectId,
        visibilities: ALL_VISIBILITIES,
        words: [],
      });
      return { values: entries.map(({ item }) => toValue(item.json)), ...(next && { next }) };
    },

    create: (value) =>
      inTransaction(connections, { projectIds: [value.projectId] }, (tx) => insert(tx, value)),

    update: (id, change) => replace(id, change, (value, current) => equals(schema, value, current)),

    touch: (id, change) => replace(id, change, () => false),

    delete: (id, check) =>
      inTransaction(connections, scopeOf(kind, id, organizationId), async (tx) => {
        const { item, bytes, current } = await selectForWrite(tx, id);
        check(current);
        const freed = toAmounts(kind, -1, -bytes);
        const { projectId } = current.value;
        await eraseBindingsOn(tx, { type: kind, id, organizationId, projectId });
        const [revision] = await settleAll([
          nextRevision(tx, projectId, organizationId, freed),
          eraseItems(tx, dialect, [item]),
        ]);
        return revision;
      }),
  };
}
