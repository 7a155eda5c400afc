import type { ContentKind } from "../../../../domain/content/order.ts";
import { notFound } from "../../../../domain/errors.ts";
import type { ContentBatch, PreparedItem } from "../../../content-import.ts";
import { onlyRow, type Tx } from "../../../db/db.ts";
import { build, prepare, type SlotOf } from "../../../db/query.ts";
import { ALWAYS, join, raw, sql } from "../../../db/sql-text.ts";
import { BulkInsert } from "../../bulk-insert.ts";
import type { Dialect } from "../../dialect.ts";
import { settleAll } from "../../in-transaction.ts";
import { VALUE_LENGTH } from "../indexed-fields.ts";
import { PathNumbers } from "./path-numbers.ts";
import { eraseItems } from "./stored-items.ts";

/** The content of one kind in a project. */
interface Collection {
  readonly collection: number;
  readonly organizationId: string;
  readonly paths: PathNumbers;
  /** Maximum numbers of values and characters of an item, and whether they are stored. */
  mostValues: number;
  mostCharacters: number;
  isStored: boolean;
}

/** Maximum number of item numbers that are reserved at once. */
const MOST_RESERVED = 10_000;

/** Writes new content items with their index entries, in one transaction. Their ids must be free. */
export class ContentWriter {
  readonly #tx: Tx;
  readonly #dialect: Dialect;
  readonly #content;
  readonly #leaf;
  readonly #word;
  /** The numbers reserved for further items: as many as the previous batch needed, so that a single item takes one. */
  #free: readonly number[] = [];
  #numbered = 0;
  readonly #collections = new Map<string, Collection>();
  /** The lowest and the highest number of the items that were written. */
  #first = Number.POSITIVE_INFINITY;
  #last = 0;

  constructor(tx: Tx, dialect: Dialect) {
    this.#tx = tx;
    this.#dialect = dialect;
    this.#content = new BulkInsert(tx, "content", [
      "item",
      "organization_id",
      "collection",
      "kind",
      "id",
      "visibility",
      "sort_time",
      "create_time",
      "update_time",
      "revision",
      "doc",
    ]);
    this.#leaf = new BulkInsert(tx, "content_leaf", ["item", "path", "position", "key", "text"]);
    this.#word = new BulkInsert(tx, "content_word", ["item", "word", "collection", "visibility"]);
  }

  /** Reads the data that the items of a batch need, which `write` otherwise reads in several steps. */
  async prepare({ items }: ContentBatch): Promise<void> {
    await settleAll([this.#reserveNumbers(items.length), this.#openCollections(items)]);
  }

  /** Writes the items of a batch that `revisionOf` returns a revision for. Lists find them once `end` has returned. */
  async write(
    { items }: ContentBatch,
    revisionOf: (index: number) => number | undefined,
  ): Promise<void> {
    const revisions = new Map<PreparedItem, number>();
    for (const [index, item] of items.entries()) {
      const revision = revisionOf(index);
      if (revision !== undefined) revisions.set(item, revision);
    }
    const written = [...revisions.keys()];
    await this.#openCollections(written);
    for (const own of Map.groupBy(written, toCollectionKey).values()) {
      const { collection, paths } = this.#collectionOf(own[0] as PreparedItem);
      await paths.create(collection, listPaths(own));
    }
    await this.#reserveNumbers(written.length);
    for (const [index, item] of written.entries()) {
      this.#add(this.#free[index] as number, item, revisions.get(item) as number);
    }
    this.#free = this.#free.slice(written.length);
    this.#numbered += written.length;
    await this.#flushRows();
  }

  /** Lets statements find the items of earlier batches. */
  async flush(): Promise<void> {
    await this.#flushRows();
    for (const each of this.#collections.values()) {
      if (each.isStored) continue;
      each.isStored = true;
      const { mostValues, mostCharacters, collection } = each;
      await this.#tx.run(
        build
          .updateTable("content_collection")
          .set({ most_values: mostValues, most_characters: mostCharacters })
          .where("collection", "=", collection),
      );
    }
  }

  /** Deletes stored items, including items that were just written. */
  async erase(items: readonly number[]): Promise<void> {
    if (items.length === 0) return;
    await this.flush();
    await eraseItems(this.#tx, this.#dialect, items);
  }

  /** Completes the index entries of everything written. */
  async end(): Promise<void> {
    await this.flush();
    if (this.#first > this.#last) return;
    const all = [...this.#collections.values()];
    const unindexed = all.flatMap(({ paths }) => paths.listUnindexed());
    const collections = all.map(({ collection }) => collection);
    const range = { first: this.#first, last: this.#last, collections };
    this.#first = Number.POSITIVE_INFINITY;
    this.#last = 0;
    await insertValues(this.#tx, this.#dialect, range, unindexed);
  }

  async #flushRows(): Promise<void> {
    await this.#content.flush();
    await this.#leaf.flush();
    await this.#word.flush();
  }

  /** Adds the rows of an item under its number. */
  #add(item: number, prepared: PreparedItem, revision: number): void {
    const collection = this.#collectionOf(prepared);
    const { kind, id, visibility, sortTime, createTime, updateTime, doc, leaves } = prepared;
    this.#first = Math.min(this.#first, item);
    this.#last = Math.max(this.#last, item);
    // biome-ignore format: in the order of the columns
    this.#content.add(
      item, collection.organizationId, collection.collection, kind, id, visibility,
      sortTime, createTime, updateTime, revision, doc,
    );
    for (const [position, { path, key, text }] of leaves.entries()) {
      this.#leaf.add(item, collection.paths.get(path), position, key, text);
    }
    for (const word of prepared.words) {
      this.#word.add(item, word, collection.collection, visibility);
    }
    if (leaves.length > collection.mostValues || doc.length > collection.mostCharacters) {
      collection.mostValues = Math.max(collection.mostValues, leaves.length);
      collection.mostCharacters = Math.max(collection.mostCharacters, doc.length);
      collection.isStored = false;
    }
  }

  #collectionOf(item: PreparedItem): Collection {
    const collection = this.#collections.get(toCollectionKey(item));
    if (collection === undefined) throw new Error("the collection is not open");
    return collection;
  }

  /** Opens the collections of items, and reads the numbers of their paths. */
  async #openCollections(items: readonly PreparedItem[]): Promise<void> {
    const groups = [...Map.groupBy(items, toCollectionKey)];
    await settleAll(groups.map(([key, own]) => this.#openCollection(key, own)));
  }

  async #openCollection(key: string, items: readonly PreparedItem[]): Promise<void> {
    const names = listPaths(items);
    const open = this.#collections.get(key);
    if (open !== undefined) {
      await open.paths.read(names);
      return;
    }
    const { projectId, kind } = items[0] as PreparedItem;
    const paths = new PathNumbers(this.#tx, projectId, kind);
    const [[row]] = await settleAll([
      this.#tx.all(SELECT_COLLECTION({ projectId, kind })),
      paths.read(names),
    ]);
    if (row === undefined) throw notFound("project", projectId);
    this.#collections.set(key, {
      collection: row.collection ?? (await this.#createCollection(projectId, kind)),
      organizationId: row.organization_id,
      paths,
      mostValues: row.most_values ?? 0,
      mostCharacters: row.most_characters ?? 0,
      isStored: true,
    });
  }

  async #createCollection(projectId: string, kind: ContentKind): Promise<number> {
    const rows = await this.#tx.all(
      build
        .insertInto("content_collection")
        .values({ project_id: projectId, kind })
        .returning("collection"),
    );
    return onlyRow(rows).collection;
  }

  async #reserveNumbers(count: number): Promise<void> {
    if (this.#free.length >= count) return;
    const reserved = Math.max(count, Math.min(this.#numbered, MOST_RESERVED));
    this.#free = await this.#dialect.nextItems(this.#tx, reserved);
  }
}

function toCollectionKey({ kind, projectId }: PreparedItem): string {
  return `${kind} ${projectId}`;
}

/** Lists the distinct paths of items. */
function listPaths(items: readonly PreparedItem[]): readonly string[] {
  return [...new Set(items.flatMap(({ leaves }) => leaves.map(({ path }) => path)))];
}

const SELECT_COLLECTION = prepare(
  (slot: SlotOf<{ readonly projectId: string; readonly kind: ContentKind }>) =>
    build
      .selectFrom("project")
      .leftJoin("content_collection as own", (join) =>
        join.onRef("own.project_id", "=", "project.id").on("own.kind", "=", slot("kind")),
      )
      .select([
        "project.organization_id",
        "own.collection",
        "own.most_values",
        "own.most_characters",
      ])
      .where("project.id", "=", slot("projectId")),
);

/** A range of item numbers in some collections; other collections may have items in it, too. */
interface ItemRange {
  readonly first: number;
  readonly last: number;
  readonly collections: readonly number[];
}

/** Writes the posting list entries of items from their leaves, in table order, which is much faster. */
async function insertValues(
  tx: Tx,
  dialect: Dialect,
  { first, last, collections }: ItemRange,
  unindexed: readonly number[],
): Promise<void> {
  const isOfIndexed = unindexed.length === 0 ? ALWAYS : sql`path not in (${join(unindexed)})`;
  // The sign keeps the planner from an index by collection: the items between two numbers are far fewer.
  const isOwn = sql`+content.collection in (${join(collections)})`;
  const insert = sql`
    insert into content_value (path, visibility, value, sort_time, id, item)
    select ${dialect.distinct(sql`1, 2, 3, 4, 5`)} path, visibility, substr(key, 1, ${raw(`${VALUE_LENGTH}`)}), sort_time, id, leaf.item
    from content
    ${dialect.lookUp({ table: "content_leaf", as: "leaf", item: sql`content.item` })}
    where content.item between ${first} and ${last} and ${isOwn} and ${isOfIndexed}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
  `;
  await tx.run(insert);
}
