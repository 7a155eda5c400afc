import { type SqlBool, sql } from "kysely";
import type { ContentKind } from "../../../../domain/content/order.ts";
import { notFound } from "../../../../domain/errors.ts";
import {
  type ContentBatch,
  type ContentShape,
  type PreparedItem,
  VALUE_SEPARATOR,
} from "../../../content-import.ts";
import { onlyRow, type Tx } from "../../../db/db.ts";
import { build, prepare, type SlotOf } from "../../../db/query.ts";
import type { RowTemplate } from "../../bulk-insert.ts";
import type { Dialect } from "../../dialect.ts";
import { settleAll } from "../../in-transaction.ts";
import { ALWAYS } from "../filter/conditions.ts";
import { VALUE_LENGTH } from "../indexed-fields.ts";
import { PathNumbers } from "./path-numbers.ts";
import { eraseItems } from "./stored-items.ts";

/** Writes new content items with their index entries. Their ids must be free. */
export interface ContentWriter {
  /** Reads what the items of a batch need, which otherwise `write` reads in several steps. */
  prepare(batch: Pick<ContentBatch, "items" | "paths">): Promise<void>;
  /**
   * Writes the items of a batch for which `revisionOf` returns a revision. Lists find them once `end` has
   * returned.
   */
  write(batch: ContentBatch, revisionOf: (index: number) => number | undefined): Promise<void>;
  /** Lets statements find the items of earlier batches. */
  flush(): Promise<void>;
  /** Deletes stored items, among them those that were just written. */
  erase(items: readonly number[]): Promise<void>;
  /** Completes the index entries of everything written. */
  end(): Promise<void>;
}

interface Collection {
  readonly collection: number;
  readonly organizationId: string;
  readonly paths: PathNumbers;
  /** The most values and characters of an item, and whether items were written that have more than is stored. */
  readonly most: { values: number; characters: number; isStored: boolean };
}

/** An item to write. */
interface Target extends Pick<Collection, "collection" | "most" | "organizationId"> {
  readonly item: PreparedItem;
  readonly revision: number;
  /** The rows of its shape in the collection, without their values. */
  readonly rows: RowTemplate;
}

/** The most shapes cached, which bounds memory. */
const MOST_SHAPES = 1_000;

/** The most numbers of items that are reserved at once. */
const MOST_RESERVED = 10_000;

/** Creates a writer for one transaction. */
export function createContentWriter(tx: Tx, dialect: Dialect): ContentWriter {
  const content = dialect.bulk(tx, "content", [
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
  const leaf = dialect.bulk(tx, "content_leaf", ["item", "path", "position", "key", "text"]);
  const word = dialect.bulk(tx, "content_word", ["item", "word", "collection", "visibility"]);
  /** The numbers reserved for further items: as many as were needed before, so that a single item takes one. */
  let free: readonly number[] = [];
  let numbered = 0;
  const collections = new Map<string, Collection>();
  /** The rows of shapes, by their own values. */
  const shapes = new Map<string, RowTemplate>();
  /** The lowest and the highest number of the items that were written. */
  let [first, last] = [Number.POSITIVE_INFINITY, 0];

  async function openCollection(
    projectId: string,
    kind: ContentKind,
    names: readonly string[],
  ): Promise<Collection> {
    const key = `${kind} ${projectId}`;
    const open = collections.get(key);
    if (open !== undefined) {
      await open.paths.read(names);
      return open;
    }
    const paths = new PathNumbers(tx, projectId, kind);
    const [[row]] = await settleAll([
      tx.all(SELECT_COLLECTION({ projectId, kind })),
      paths.read(names),
    ]);
    if (row === undefined) throw notFound(`project ${projectId}`);
    const collection =
      row.collection ??
      onlyRow(
        await tx.all(
          build
            .insertInto("content_collection")
            .values({ project_id: projectId, kind })
            .returning("collection"),
        ),
      ).collection;
    const most = {
      values: row.most_values ?? 0,
      characters: row.most_characters ?? 0,
      isStored: true,
    };
    const found = { collection, organizationId: row.organization_id, paths, most };
    collections.set(key, found);
    return found;
  }

  async function flush(): Promise<void> {
    for (const insert of [content, leaf, word]) await insert.flush();
    for (const { collection, most } of collections.values()) {
      if (most.isStored) continue;
      most.isStored = true;
      await tx.run(
        build
          .updateTable("content_collection")
          .set({ most_values: most.values, most_characters: most.characters })
          .where("collection", "=", collection),
      );
    }
  }

  async function reserveNumbers(count: number): Promise<void> {
    if (free.length >= count) return;
    const reserved = Math.max(count, Math.min(numbered, MOST_RESERVED));
    free = await dialect.nextItems(tx, reserved);
  }

  async function takeNumbers(count: number): Promise<readonly number[]> {
    await reserveNumbers(count);
    const taken = free.slice(0, count);
    free = free.slice(count);
    numbered += count;
    return taken;
  }

  /** Returns the rows of a shape: the same object each time, so that their statement is compiled once. */
  async function rowsOf(
    { collection, paths }: Collection,
    shape: ContentShape,
    names: readonly string[],
  ): Promise<RowTemplate> {
    const leaves = Array.from({ length: shape.length / 2 }, (_, index) => ({
      name: names[shape[2 * index] ?? 0] ?? "",
      hasText: shape[2 * index + 1] === 1,
    }));
    const numbers = await paths.findOrCreate(
      collection,
      leaves.map(({ name }) => name),
    );
    const rows = leaves.map(({ name, hasText }, position) => [
      numbers.get(name) as number,
      position,
      undefined,
      hasText ? undefined : null,
    ]);
    const key = [collection, ...rows.map(([path, , , text]) => `${path} ${text}`)].join();
    const known = shapes.get(key);
    if (known !== undefined) return known;
    if (shapes.size < MOST_SHAPES) shapes.set(key, rows);
    return rows;
  }

  /** Lists the items to write, those of one shape in succession. */
  async function listTargets(
    { items, paths, shapes }: ContentBatch,
    revisionOf: (index: number) => number | undefined,
  ): Promise<readonly Target[]> {
    const targets = new Map<string, Target[]>();
    for (const [index, item] of items.entries()) {
      const revision = revisionOf(index);
      const shape = shapes[item.shape];
      if (revision === undefined || shape === undefined) continue;
      const key = `${item.shape} ${item.kind} ${item.projectId}`;
      const others = targets.get(key);
      const [first] = others ?? [];
      if (first !== undefined) {
        others?.push({ ...first, item, revision });
        continue;
      }
      const found = await openCollection(item.projectId, item.kind, paths);
      const { collection, most, organizationId } = found;
      const rows = await rowsOf(found, shape, paths);
      targets.set(key, [{ collection, most, organizationId, item, revision, rows }]);
    }
    return [...targets.values()].flat();
  }

  return {
    async prepare({ items, paths }) {
      const owners = new Map(
        items.map(({ kind, projectId }) => [`${kind} ${projectId}`, { kind, projectId }]),
      );
      await settleAll([
        reserveNumbers(items.length),
        ...Array.from(owners.values(), ({ kind, projectId }) =>
          openCollection(projectId, kind, paths),
        ),
      ]);
    },

    async write(batch, revisionOf) {
      const targets = await listTargets(batch, revisionOf);
      const numbers = await takeNumbers(targets.length);
      for (const [
        index,
        { collection, most, organizationId, item: it, revision, rows },
      ] of targets.entries()) {
        const item = numbers[index] as number;
        first = Math.min(first, item);
        last = Math.max(last, item);
        // biome-ignore format: in the order of the columns
        content.add(
          item, organizationId, collection, it.kind, it.id, it.visibility,
          it.sortTime, it.createTime, it.updateTime, revision, it.doc,
        );
        leaf.addRows(rows, item, it.values.split(VALUE_SEPARATOR));
        if (rows.length > most.values || it.doc.length > most.characters) {
          most.values = Math.max(most.values, rows.length);
          most.characters = Math.max(most.characters, it.doc.length);
          most.isStored = false;
        }
        if (it.words === "") continue;
        for (const own of it.words.split(" ")) word.add(item, own, collection, it.visibility);
      }
      for (const insert of [content, leaf, word]) await insert.flushIfFull();
    },

    flush,

    async erase(old) {
      if (old.length === 0) return;
      await flush();
      await eraseItems(tx, dialect, old);
    },

    async end() {
      await flush();
      const unindexed = [...collections.values()].flatMap(({ paths }) => paths.listUnindexed());
      if (first <= last) await insertValues(tx, dialect, [first, last], unindexed);
    },
  };
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

/** Writes the posting list entries of items from their leaves, in table order, which is faster by far. */
async function insertValues(
  tx: Tx,
  dialect: Dialect,
  [first, last]: readonly [number, number],
  unindexed: readonly number[],
): Promise<void> {
  const isOfIndexed =
    unindexed.length === 0 ? ALWAYS : sql<SqlBool>`path not in (${sql.join(unindexed)})`;
  const insert = sql`
    insert into content_value (path, visibility, value, sort_time, id, item)
    select ${dialect.distinct(sql`1, 2, 3, 4, 5`)} path, visibility, substr(key, 1, ${sql.lit(VALUE_LENGTH)}), sort_time, id, leaf.item
    from content
    ${dialect.lookUp({ table: "content_leaf", as: "leaf", item: sql`content.item` })}
    where content.item between ${first} and ${last} and ${isOfIndexed}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
  `;
  await tx.run(insert);
}
