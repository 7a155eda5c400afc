import { notFound } from "../../../../domain/base/errors.ts";
import { settleAll } from "../../../../domain/base/settle-all.ts";
import type { ContentKind } from "../../../../domain/content/order.ts";
import type { PreparedItem } from "../../../content/content-rows.ts";
import { isIndexed, VALUE_LENGTH } from "../../../content/indexed-fields.ts";
import { onlyRow, type Tx } from "../../../db/db.ts";
import { build, prepare, type SlotOf } from "../../../db/query.ts";
import { ALWAYS, allOf, type Condition, join, raw, sql } from "../../../db/sql-text.ts";
import { BulkInsert } from "../../base/bulk-insert.ts";
import type { Dialect } from "../../base/dialect.ts";
import type { ItemChanges, ItemWrite } from "./item-write.ts";
import { PathNumbers } from "./path-numbers.ts";
import { deleteValues, eraseItems, toChunks } from "./stored-items.ts";

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

/** Writes content items with their index entries, in one transaction. The ids of new ones must be free. */
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
      "open_from",
      "open_until",
      "revision",
      "doc",
    ]);
    this.#leaf = new BulkInsert(tx, "content_leaf", ["item", "path", "position", "key", "text"]);
    this.#word = new BulkInsert(tx, "content_word", ["item", "word", "collection", "visibility"]);
  }

  /** Reads the data that the writes need, which `write` otherwise reads in several steps. */
  async prepare(writes: readonly ItemWrite[]): Promise<void> {
    await settleAll([
      this.#reserveNumbers(writes.filter(isWhole).length),
      this.#openCollections(writes),
    ]);
  }

  /** Writes items with a revision. Lists find those that are written whole once `end` has returned. */
  async write(writes: readonly ItemWrite[], revision: number): Promise<void> {
    await this.#openCollections(writes);
    for (const own of Map.groupBy(writes, ({ item }) => toCollectionKey(item)).values()) {
      const { collection, paths } = this.#collectionOf((own[0] as ItemWrite).item);
      await paths.create(collection, listPaths(own));
    }
    const whole = writes.filter(isWhole);
    await eraseItems(
      this.#tx,
      this.#dialect,
      whole.flatMap(({ replaced }) => replaced ?? []),
    );
    await this.#reserveNumbers(whole.length);
    for (const [index, { item }] of whole.entries()) {
      this.#add(this.#free[index] as number, item, revision);
    }
    this.#free = this.#free.slice(whole.length);
    this.#numbered += whole.length;
    await this.#content.flush();
    await this.#leaf.flush();
    await this.#word.flush();
    for (const { item, replaced, changes } of writes) {
      if (replaced !== undefined && changes !== undefined) {
        await this.#change(replaced, item, changes, revision);
      }
    }
  }

  /** Completes the index entries of everything written. */
  async end(): Promise<void> {
    await this.#storeSizes();
    if (this.#first > this.#last) return;
    const all = [...this.#collections.values()];
    const unindexed = all.flatMap(({ paths }) => paths.listUnindexed());
    const collections = all.map(({ collection }) => collection);
    const isWritten = allOf([
      sql`content.item between ${this.#first} and ${this.#last}`,
      // The sign keeps the planner from an index by collection: the items between two numbers are far fewer.
      sql`+content.collection in (${join(collections)})`,
    ]);
    const ofIndexed = unindexed.length === 0 ? ALWAYS : sql`path not in (${join(unindexed)})`;
    this.#first = Number.POSITIVE_INFINITY;
    this.#last = 0;
    await insertValues(this.#tx, this.#dialect, isWritten, ofIndexed);
  }

  /** Writes an item over a stored one, with the index entries that differ. */
  async #change(
    number: number,
    item: PreparedItem,
    { paths, leaves, addedWords, removedWords }: ItemChanges,
    revision: number,
  ): Promise<void> {
    const tx = this.#tx;
    const collection = this.#collectionOf(item);
    const { visibility, createTime, updateTime, doc } = item;
    const parts = toChunks(paths.map((path) => collection.paths.get(path)));
    const isStored = sql`content.item = ${number}`;
    const columns = { create_time: createTime, update_time: updateTime, revision, doc };
    await settleAll([
      tx.run(build.updateTable("content").set(columns).where("item", "=", number)),
      // Also words that another version of the program may have written.
      ...toChunks([...removedWords, ...addedWords]).map((words) =>
        tx.run(
          build.deleteFrom("content_word").where("item", "=", number).where("word", "in", words),
        ),
      ),
      ...parts.map((part) => deleteValues(tx, this.#dialect, isStored, isOfPaths(part))),
    ]);
    await settleAll(
      parts.map((part) =>
        tx.run(
          build.deleteFrom("content_leaf").where("item", "=", number).where("path", "in", part),
        ),
      ),
    );
    for (const word of addedWords) {
      this.#word.add(number, word, collection.collection, visibility);
    }
    for (const [position, { path, key, text }] of leaves.entries()) {
      this.#leaf.add(number, collection.paths.get(path), position, key, text);
    }
    await settleAll([this.#word.flush(), this.#leaf.flush()]);
    const indexed = paths.filter(isIndexed).map((path) => collection.paths.get(path));
    await settleAll(
      toChunks(indexed).map((part) => insertValues(tx, this.#dialect, isStored, isOfPaths(part))),
    );
    this.#noteSize(collection, item);
  }

  async #storeSizes(): Promise<void> {
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

  /** Adds the rows of an item under its number. */
  #add(item: number, prepared: PreparedItem, revision: number): void {
    const collection = this.#collectionOf(prepared);
    const { kind, id, visibility, sortTime, createTime, updateTime, doc, leaves } = prepared;
    const { openFrom, openUntil } = prepared;
    this.#first = Math.min(this.#first, item);
    this.#last = Math.max(this.#last, item);
    // biome-ignore format: in the order of the columns
    this.#content.add(
      item, collection.organizationId, collection.collection, kind, id, visibility,
      sortTime, createTime, updateTime, openFrom, openUntil, revision, doc,
    );
    for (const [position, { path, key, text }] of leaves.entries()) {
      this.#leaf.add(item, collection.paths.get(path), position, key, text);
    }
    for (const word of prepared.words) {
      this.#word.add(item, word, collection.collection, visibility);
    }
    this.#noteSize(collection, prepared);
  }

  #noteSize(collection: Collection, { leaves, doc }: PreparedItem): void {
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

  /** Opens the collections of items, and reads the numbers of the paths that are written. */
  async #openCollections(writes: readonly ItemWrite[]): Promise<void> {
    const groups = [...Map.groupBy(writes, ({ item }) => toCollectionKey(item))];
    await settleAll(groups.map(([key, own]) => this.#openCollection(key, own)));
  }

  async #openCollection(key: string, writes: readonly ItemWrite[]): Promise<void> {
    const names = listPaths(writes);
    const open = this.#collections.get(key);
    if (open !== undefined) {
      await open.paths.read(names);
      return;
    }
    const { projectId, kind } = (writes[0] as ItemWrite).item;
    const paths = new PathNumbers(this.#tx, this.#dialect, projectId, kind);
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

/** Reports whether all index entries of an item are written, under a new number. */
function isWhole({ changes }: ItemWrite): boolean {
  return changes === undefined;
}

/** Lists the distinct paths whose leaves are written. */
function listPaths(writes: readonly ItemWrite[]): readonly string[] {
  const names = new Set<string>();
  for (const { item, changes } of writes) {
    for (const path of changes?.paths ?? item.leaves.map((it) => it.path)) names.add(path);
  }
  return [...names];
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

/** Writes the posting list entries of leaves of items, in table order, which is much faster. */
async function insertValues(
  tx: Tx,
  dialect: Dialect,
  ofItems: Condition,
  ofLeaves: Condition,
): Promise<void> {
  const insert = sql`
    insert into content_value (path, visibility, value, sort_time, id, item, open_from, open_until)
    select ${dialect.distinct(sql`1, 2, 3, 4, 5`)} path, visibility, substr(key, 1, ${raw(`${VALUE_LENGTH}`)}), sort_time, id,
      leaf.item, open_from, open_until
    from content
    ${dialect.lookUp({ table: "content_leaf", as: "leaf", item: sql`content.item`, where: ofLeaves })}
    where ${ofItems}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
  `;
  await tx.run(insert);
}

function isOfPaths(numbers: readonly number[]): Condition {
  return sql`path in (${join(numbers)})`;
}
