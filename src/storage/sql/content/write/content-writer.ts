import { type SqlBool, sql, type Transaction } from "kysely";
import type { ContentKind } from "../../../../domain/content/order.ts";
import type { ContentBatch } from "../../../content-import.ts";
import type { Dialect } from "../../dialect.ts";
import type { Schema } from "../../schema.ts";
import { ALWAYS } from "../filter/conditions.ts";
import { isIndexed, VALUE_LENGTH } from "../indexed-fields.ts";

/** Writes new content items with their index entries. Their ids must be free. */
export interface ContentWriter {
  /**
   * Writes the items of a batch for which `revisionOf` returns a revision. Lists find them once `end` has
   * returned.
   */
  write(batch: ContentBatch, revisionOf: (index: number) => number | undefined): Promise<void>;
  /** Completes the index entries of everything written. */
  end(): Promise<void>;
}

interface Collection {
  readonly collection: number;
  readonly organizationId: string;
  readonly paths: PathNumbers;
}

/** An item to write, and the numbers of the batch's paths in its collection, as far as known. */
interface Target extends Collection {
  readonly item: number;
  readonly numbers: (number | undefined)[];
}

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
  const search = dialect.search.insert(tx);
  const collections = new Map<string, Collection>();
  /** The lowest and the highest number of an item that was written. */
  let written: readonly [number, number] | undefined;

  async function openCollection(projectId: string, kind: ContentKind): Promise<Collection> {
    const key = `${kind} ${projectId}`;
    const open = collections.get(key);
    if (open !== undefined) return open;
    const { collection } = await tx
      .insertInto("content_collection")
      .values({ project_id: projectId, kind })
      .onConflict((it) => it.columns(["project_id", "kind"]).doUpdateSet({ kind }))
      .returning("collection")
      .executeTakeFirstOrThrow();
    const { organization_id: organizationId } = await tx
      .selectFrom("project")
      .select("organization_id")
      .where("id", "=", projectId)
      .executeTakeFirstOrThrow();
    const found = { collection, organizationId, paths: new PathNumbers(tx, collection) };
    collections.set(key, found);
    return found;
  }

  return {
    async write({ items, paths, leaves, nodes }, revisionOf) {
      const numbers = new Map<Collection, (number | undefined)[]>();
      const targets: (Target | undefined)[] = [];
      const isWritten = items.map((_, index) => revisionOf(index) !== undefined);
      const free = await dialect.nextItems(tx, isWritten.filter(Boolean).length);
      const fresh = free.values();
      for (const [index, it] of items.entries()) {
        const revision = revisionOf(index);
        const item = revision === undefined ? undefined : fresh.next().value;
        if (revision === undefined || item === undefined) continue;
        const found = await openCollection(it.projectId, it.kind);
        const own = numbers.get(found) ?? [];
        if (!numbers.has(found)) await found.paths.read(paths);
        numbers.set(found, own);
        const { collection, organizationId } = found;
        const [lowest, highest] = written ?? [item, item];
        written = [Math.min(lowest, item), Math.max(highest, item)];
        targets[index] = { ...found, item, numbers: own };
        content.add(
          ...([item, organizationId, collection, it.kind, it.id, it.visibility] as const),
          ...([it.sortTime, it.createTime, it.updateTime, revision, it.doc] as const),
        );
        search.add(item, { collection, visibility: it.visibility }, it.words);
      }
      const numberOf = async (target: Target, path: number) => {
        const name = paths[path] ?? "";
        const number = target.paths.find(name) ?? (await target.paths.create(name));
        target.numbers[path] = number;
        return number;
      };
      for (let at = 0; at < leaves.length; at += 6) {
        const target = targets[leaves[at] as number];
        if (target === undefined) continue;
        const index = leaves[at + 1] as number;
        leaf.add(
          target.item,
          target.numbers[index] ?? (await numberOf(target, index)),
          leaves[at + 2] as number,
          leaves[at + 3] as number,
          leaves[at + 4] as string,
          leaves[at + 5] as string | null,
        );
      }
      for (let at = 0; at < nodes.length; at += 4) {
        const target = targets[nodes[at] as number];
        if (target === undefined) continue;
        const index = nodes[at + 1] as number;
        node.add(
          target.item,
          target.numbers[index] ?? (await numberOf(target, index)),
          nodes[at + 2] as number,
          nodes[at + 3] as number,
        );
      }
      for (const insert of [content, leaf, node, search]) await insert.flush();
    },

    async end() {
      const unindexed = [...collections.values()].flatMap(({ paths }) => paths.listUnindexed());
      if (written !== undefined) await insertValues(tx, dialect, written, unindexed);
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
    select path, visibility, substr(key, 1, ${sql.lit(VALUE_LENGTH)}), sort_time, id, leaf.item
    from content_leaf as leaf
    ${dialect.forcedJoin} content on content.item = leaf.item
    where leaf.item between ${first} and ${last} and ${isOfIndexed}
    order by 1, 2, 3, 4, 5
    on conflict do nothing
  `.execute(tx);
}

/** The paths that one statement reads. */
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
        .execute();
      for (const { name, path } of rows) this.#numbers.set(name, path);
      for (const name of chunk) this.#asked.add(name);
    }
  }

  /** Returns the number of a path that was read or created. */
  find(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  /** Numbers a new path. */
  async create(name: string): Promise<number> {
    const { path } = await this.#tx
      .insertInto("content_path")
      .values({ collection: this.#collection, name })
      .returning("path")
      .executeTakeFirstOrThrow();
    this.#numbers.set(name, path);
    return path;
  }

  /** Lists the known numbers of paths that have no posting lists. */
  listUnindexed(): readonly number[] {
    return [...this.#numbers].flatMap(([name, path]) => (isIndexed(name) ? [] : [path]));
  }
}
