import type { ContentKind } from "../../../../domain/content/order.ts";
import type { PreparedItem } from "../../../content/content-rows.ts";
import { VALUE_LENGTH } from "../../../content/indexed-fields.ts";
import type { Db, Tx } from "../../../db/db.ts";
import { build } from "../../../db/query.ts";
import { type Condition, isOneOf, join, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { deleteInSteps } from "../../base/delete-some.ts";
import type { Dialect } from "../../base/dialect.ts";
import { endStep } from "../../base/in-transaction.ts";
import { toSizedGroups } from "../../base/read-documents.ts";
import type { IndexedItem } from "./item-write.ts";

/** A stored item, of any project of its organization. */
export interface StoredItem extends IndexedItem {
  readonly kind: string;
  readonly id: string;
  readonly project_id: string;
}

/** The name of an item, unique in its organization. */
export type ItemName = Pick<PreparedItem, "id" | "kind">;

/** The number of values in the list of one statement; fewer are padded, so that it is compiled once. */
const CHUNK = 100;

/** The number of items, and the bytes of their documents, that a step of a deletion deletes at most, or one larger item. */
const STEP = { items: 500, bytes: 256 * 1024 };

/** The bytes of documents whose index entries a statement writes or deletes: other calls wait for it. */
export const BYTES_AT_ONCE = 32 * 1024;

/** Returns a key that is unique among the items of all kinds and organizations. */
export function toItemKey(
  { kind, id }: { readonly kind: string; readonly id: string },
  organizationId: string,
): string {
  return `${organizationId} ${kind} ${id}`;
}

/** Finds the stored items of an organization with the ids of given items, by {@link toItemKey}. */
export function findStoredItems(
  db: Db,
  items: readonly ItemName[],
  organizationId: string,
): Promise<ReadonlyMap<string, StoredItem>> {
  return selectStored(db, items, organizationId, selectItems);
}

/** Measures the stored items of an organization with the ids of given items, by {@link toItemKey}. */
export function measureStoredItems(
  db: Db,
  items: readonly ItemName[],
  organizationId: string,
): Promise<ReadonlyMap<string, ItemName & { readonly bytes: number }>> {
  return selectStored(db, items, organizationId, measureItems);
}

async function selectStored<Row extends { readonly kind: string; readonly id: string }>(
  db: Db,
  items: readonly ItemName[],
  organizationId: string,
  select: (organizationId: string, kind: ContentKind, ids: readonly string[]) => SqlText<Row>,
): Promise<ReadonlyMap<string, Row>> {
  const stored = new Map<string, Row>();
  for (const [kind, ofKind] of Map.groupBy(items, (item) => item.kind)) {
    for (const ids of toChunks(ofKind.map(({ id }) => id))) {
      const rows = await db.all(select(organizationId, kind, ids));
      for (const row of rows) stored.set(toItemKey(row, organizationId), row);
    }
  }
  return stored;
}

function selectItems(organizationId: string, kind: ContentKind, ids: readonly string[]) {
  return sql<StoredItem>`
    select item, content.kind, id, project_id, visibility, sort_time, doc
    from content join content_collection on content_collection.collection = content.collection
    where content.organization_id = ${organizationId} and content.kind = ${kind} and ${isOneOf(sql`id`, ids)}
  `;
}

function measureItems(organizationId: string, kind: ContentKind, ids: readonly string[]) {
  return sql<ItemName & { readonly bytes: number }>`
    select kind, id, octet_length(doc) as bytes
    from content
    where organization_id = ${organizationId} and kind = ${kind} and ${isOneOf(sql`id`, ids)}
  `;
}

/** Deletes items with their index entries. Their paths remain until the retention finds that no item has them. */
export async function eraseItems(
  tx: Tx,
  dialect: Dialect,
  items: readonly number[],
): Promise<void> {
  for (const chunk of toChunks(items)) {
    // First, because the leaves locate the posting list entries.
    await deleteValues(tx, dialect, sql`content.item in (${join(chunk)})`);
    for (const table of ["content_leaf", "content_word", "content"] as const) {
      await tx.run(build.deleteFrom(table as "content").where("item", "in", chunk));
    }
  }
}

/** Deletes the posting list entries of leaves of items; default: of all their leaves. */
export async function deleteValues(
  tx: Tx,
  dialect: Dialect,
  ofItems: Condition,
  ofLeaves?: Condition,
): Promise<void> {
  await tx.run(sql`
    delete from content_value where (path, visibility, value, sort_time, id) in (
      select path, visibility, substr(key, 1, ${raw(`${VALUE_LENGTH}`)}), sort_time, id
      from content ${dialect.lookUp({ table: "content_leaf", as: "leaf", item: sql`content.item`, where: ofLeaves })}
      where ${ofItems}
    )
  `);
}

/** Cuts a list into chunks of one size, padding the last with its last element. */
export function toChunks<T>(all: readonly T[], most: number = CHUNK): T[][] {
  const size = Math.min(most, CHUNK);
  const chunks: T[][] = [];
  for (let from = 0; from < all.length; from += size) {
    const chunk = all.slice(from, from + size);
    const last = chunk.at(-1);
    while (last !== undefined && chunk.length < size) chunk.push(last);
    chunks.push(chunk);
  }
  return chunks;
}

/** Deletes some items of a project. Returns them with their sizes; none: there are none left. */
export async function eraseSomeItems(tx: Tx, dialect: Dialect, projectId: string) {
  const items = await tx.all(sql<ErasedItem>`
    select item, content.kind, octet_length(doc) as bytes
    from content_collection join content on content.collection = content_collection.collection
    where content_collection.project_id = ${projectId} limit ${STEP.items}
  `);
  const [erased = []] = toSizedGroups(items, sizeOf, STEP.bytes);
  for (const group of toSizedGroups(erased, sizeOf, BYTES_AT_ONCE)) {
    await eraseItems(
      tx,
      dialect,
      group.map(({ item }) => item),
    );
  }
  return erased;
}

interface ErasedItem {
  readonly item: number;
  readonly kind: ContentKind;
  readonly bytes: number;
}

function sizeOf({ bytes }: ErasedItem): number {
  return bytes;
}

/** Deletes all content of a project with its collections and paths. */
export async function eraseProjectContent(
  tx: Tx,
  dialect: Dialect,
  projectId: string,
): Promise<void> {
  while ((await eraseSomeItems(tx, dialect, projectId)).length > 0) await endStep(tx);
  const condition = sql`collection in (
    select collection from content_collection where project_id = ${projectId}
  )`;
  await deleteInSteps(tx, { table: "content_path", key: ["path"], condition });
  await tx.run(build.deleteFrom("content_collection").where("project_id", "=", projectId));
}
