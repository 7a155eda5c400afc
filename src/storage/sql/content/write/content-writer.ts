import { type SqlBool, sql, type Transaction } from "kysely";
import type { ContentKind } from "../../../../domain/content/order.ts";
import {
  type ContentBatch,
  type ContentShape,
  type PreparedItem,
  VALUE_SEPARATOR,
} from "../../../content-import.ts";
import type { RowTemplate } from "../../bulk-insert.ts";
import type { Dialect } from "../../dialect.ts";
import type { Schema } from "../../schema.ts";
import { ALWAYS } from "../filter/conditions.ts";
import { isIndexed, VALUE_LENGTH } from "../indexed-fields.ts";
import { NAME_START, toNameStart } from "../path-name.ts";
import { eraseItems } from "./stored-items.ts";

/** Writes new content items with their index entries. Their ids must be free. */
export interface ContentWriter {
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
}

/** The rows of a shape in a collection, without their values. */
interface ShapeRows {
  readonly leaves: RowTemplate;
  readonly nodes: RowTemplate;
}

/** An item to write. */
interface Target extends Pick<Collection, "collection" | "organizationId"> {
  readonly item: PreparedItem;
  readonly revision: number;
  readonly rows: ShapeRows;
}

/** The most shapes cached, which bounds memory. */
const MOST_SHAPES = 1_000;

/** The characters of words that are written at once: about what a full-text index collects in memory. */
export const SEARCH_CHARACTERS = 1_000_000;

/** The most numbers of items that are reserved at once. */
const MOST_RESERVED = 10_000;

/** Creates a writer for one transaction. */
export function createContentWriter(tx: Transaction<Schema>, dialect: Dialect): ContentWriter {
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
  const leaf = dialect.bulk(tx, "content_leaf", [
    "item",
    "path",
    "node",
    "position",
    "key",
    "text",
  ]);
  const node = dialect.bulk(tx, "content_node", ["item", "path", "node", "node_last"]);
  const search = dialect.search.insert(tx, dialect.bulk);
  /** The numbers reserved for further items: as many as were needed before, so that a single item takes one. */
  let free: readonly number[] = [];
  let numbered = 0;
  /** The characters of words that are not yet written. */
  let unsearchable = 0;
  const collections = new Map<string, Collection>();
  /** The rows of shapes, by their own values. */
  const shapes = new Map<string, ShapeRows>();
  /** The lowest and the highest number of the items that were written. */
  let [first, last] = [Number.POSITIVE_INFINITY, 0];

  async function openCollection(projectId: string, kind: ContentKind): Promise<Collection> {
    const key = `${kind} ${projectId}`;
    const open = collections.get(key);
    if (open !== undefined) return open;
    const { collection } =
      (await tx
        .selectFrom("content_collection")
        .select("collection")
        .where("project_id", "=", projectId)
        .where("kind", "=", kind)
        .executeTakeFirst()) ??
      (await tx
        .insertInto("content_collection")
        .values({ project_id: projectId, kind })
        .returning("collection")
        .executeTakeFirstOrThrow());
    const { organization_id: organizationId } = await tx
      .selectFrom("project")
      .select("organization_id")
      .where("id", "=", projectId)
      .executeTakeFirstOrThrow();
    const found = { collection, organizationId, paths: new PathNumbers(tx, collection) };
    collections.set(key, found);
    return found;
  }

  async function flushSearch(): Promise<void> {
    await search.flush();
    unsearchable = 0;
  }

  async function flush(): Promise<void> {
    for (const insert of [content, leaf, node]) await insert.flush();
    await flushSearch();
  }

  async function takeNumbers(count: number): Promise<readonly number[]> {
    if (free.length < count) {
      const reserved = Math.max(count, Math.min(numbered, MOST_RESERVED));
      free = await dialect.nextItems(tx, reserved);
    }
    const taken = free.slice(0, count);
    free = free.slice(count);
    numbered += count;
    return taken;
  }

  /** Returns the rows of a shape: the same object each time, so that their statement is compiled once. */
  async function rowsOf(
    { collection, paths }: Collection,
    { leaves, nodes }: ContentShape,
    names: readonly string[],
  ): Promise<ShapeRows> {
    const inThrees = (numbers: readonly number[]) =>
      Array.from({ length: numbers.length / 3 }, (_, it) => numbers.slice(it * 3, it * 3 + 3));
    const nameOf = ([index = 0]: readonly number[]) => names[index] ?? "";
    const [ofLeaves, ofNodes] = [inThrees(leaves), inThrees(nodes)];
    const numbers = await paths.findOrCreate([...ofLeaves, ...ofNodes].map(nameOf));
    const toRow = (part: readonly number[]) => [
      numbers.get(nameOf(part)) as number,
      ...part.slice(1),
    ];
    const rows = { leaves: ofLeaves.map(toRow), nodes: ofNodes.map(toRow) };
    const key = `${collection};${rows.leaves.join()};${rows.nodes.join()}`;
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const made: ShapeRows = {
      leaves: rows.leaves.map(([path, node, hasText], position) => [
        ...[path, node, position, undefined],
        hasText === 1 ? undefined : null,
      ]),
      nodes: rows.nodes,
    };
    if (shapes.size < MOST_SHAPES) shapes.set(key, made);
    return made;
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
      const found = await openCollection(item.projectId, item.kind);
      await found.paths.read(paths);
      const { collection, organizationId } = found;
      const rows = await rowsOf(found, shape, paths);
      targets.set(key, [{ collection, organizationId, item, revision, rows }]);
    }
    return [...targets.values()].flat();
  }

  return {
    async write(batch, revisionOf) {
      const targets = await listTargets(batch, revisionOf);
      const numbers = await takeNumbers(targets.length);
      for (const [
        index,
        { collection, organizationId, item: it, revision, rows },
      ] of targets.entries()) {
        const item = numbers[index] as number;
        first = Math.min(first, item);
        last = Math.max(last, item);
        // biome-ignore format: in the order of the columns
        content.add(
          item, organizationId, collection, it.kind, it.id, it.visibility,
          it.sortTime, it.createTime, it.updateTime, revision, it.doc,
        );
        leaf.addRows(rows.leaves, item, it.values.split(VALUE_SEPARATOR));
        node.addRows(rows.nodes, item, []);
        search.add(item, { collection, visibility: it.visibility }, it.words);
        unsearchable += it.words.length;
      }
      search.addWords(batch.words);
      for (const insert of [content, leaf, node]) await insert.flushIfFull();
      if (unsearchable >= SEARCH_CHARACTERS) await flushSearch();
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

/** Writes the posting list entries of items from their leaves, in table order, which is faster by far. */
async function insertValues(
  tx: Transaction<Schema>,
  dialect: Dialect,
  [first, last]: readonly [number, number],
  unindexed: readonly number[],
): Promise<void> {
  const isOfIndexed =
    unindexed.length === 0 ? ALWAYS : sql<SqlBool>`path not in (${sql.join(unindexed)})`;
  await sql`
    insert into content_value (path, visibility, value, sort_time, id, item)
    select ${dialect.distinct(sql`1, 2, 3, 4, 5`)} path, visibility, substr(key, 1, ${sql.lit(VALUE_LENGTH)}), sort_time, id, leaf.item
    from content
    ${dialect.lookUp({ table: "content_leaf", as: "leaf", item: sql`content.item` })}
    where content.item between ${first} and ${last} and ${isOfIndexed}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
  `.execute(tx);
}

/** The paths that one statement reads or creates. */
const CHUNK = 500;

/** The numbers of a collection's paths. As it may have very many, only those in use are read. */
class PathNumbers {
  readonly #tx: Transaction<Schema>;
  readonly #collection: number;
  readonly #numbers = new Map<string, number>();
  readonly #asked = new Set<string>();

  constructor(tx: Transaction<Schema>, collection: number) {
    this.#tx = tx;
    this.#collection = collection;
  }

  /** Reads the numbers of paths that were not read before. */
  async read(names: readonly string[]): Promise<void> {
    const fresh = names.filter((name) => !this.#asked.has(name));
    for (let from = 0; from < fresh.length; from += CHUNK) {
      const chunk = fresh.slice(from, from + CHUNK);
      const rows = await this.#tx
        .selectFrom("content_path")
        .select(["path", "name"])
        .where("collection", "=", this.#collection)
        .where("name", "in", chunk)
        .where(NAME_START, "in", chunk.map(toNameStart))
        .execute();
      for (const { name, path } of rows) this.#numbers.set(name, path);
      for (const name of chunk) this.#asked.add(name);
    }
  }

  /** Returns the numbers of paths that were read, of new ones after creating them. */
  async findOrCreate(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const fresh = [...new Set(names)].filter((name) => !this.#numbers.has(name));
    for (let from = 0; from < fresh.length; from += CHUNK) {
      const rows = await this.#tx
        .insertInto("content_path")
        .values(
          fresh.slice(from, from + CHUNK).map((name) => ({ collection: this.#collection, name })),
        )
        .returning(["path", "name"])
        .execute();
      for (const { name, path } of rows) this.#numbers.set(name, path);
    }
    return this.#numbers;
  }

  /** Lists the known numbers of paths that have no posting lists. */
  listUnindexed(): readonly number[] {
    return [...this.#numbers].flatMap(([name, path]) => (isIndexed(name) ? [] : [path]));
  }
}
