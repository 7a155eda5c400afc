import { type SqlBool, sql, type Transaction } from "kysely";
import type { ContentKind } from "../../../../domain/content/order.ts";
import type { ContentBatch } from "../../../content-import.ts";
import { createBulkInsert } from "../../bulk-insert.ts";
import type { Schema } from "../../schema.ts";
import { VALUE_LENGTH } from "../content-values.ts";
import { ALWAYS } from "../filter/conditions.ts";
import { toScope } from "../filter/search-words.ts";
import { openPathNumbers, type PathNumbers } from "./path-numbers.ts";

/** Writes content whose ids are free, with all that it is found by. */
export interface ContentWriter {
  /**
   * Writes those items of a batch, by their index, that there is a revision for. They can be found
   * when `end` has returned.
   */
  write(batch: ContentBatch, revisionOf: (index: number) => number | undefined): Promise<void>;
  /** Finishes what was written. */
  end(): Promise<void>;
}

interface Collection {
  readonly collection: number;
  readonly paths: PathNumbers;
}

/** Where an item of a batch goes, and the numbers there of the batch's paths, so far as known. */
interface Target extends Collection {
  readonly item: number;
  readonly numbers: (number | undefined)[];
}

/** Creates a writer for one transaction. */
export async function createContentWriter(tx: Transaction<Schema>): Promise<ContentWriter> {
  const content = createBulkInsert(tx, "content", [
    "item",
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
  const leaf = createBulkInsert(tx, "content_leaf", [
    "item",
    "path",
    "node",
    "position",
    "key",
    "text",
  ]);
  const node = createBulkInsert(tx, "content_node", ["item", "path", "node", "node_last"]);
  const search = createBulkInsert(tx, "content_search", ["rowid", "scope", "words"]);
  const word = createBulkInsert(tx, "content_word", ["word"], { ignoreKnown: true });
  const known = new Set<string>();
  const collections = new Map<string, Collection>();
  const first = await findNextItem(tx);
  let next = first;

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
    const found = { collection, paths: openPathNumbers(tx, collection) };
    collections.set(key, found);
    return found;
  }

  function addWords(words: string) {
    for (const it of words.split(" ")) {
      if (it === "" || known.has(it)) continue;
      known.add(it);
      word.add(it);
    }
    if (known.size > MOST_KNOWN) known.clear();
  }

  return {
    async write({ items, paths, leaves, nodes }, revisionOf) {
      const numbers = new Map<Collection, (number | undefined)[]>();
      const targets: (Target | undefined)[] = [];
      for (const [index, it] of items.entries()) {
        const revision = revisionOf(index);
        if (revision === undefined) continue;
        const found = await openCollection(it.projectId, it.kind);
        const own = numbers.get(found) ?? [];
        if (!numbers.has(found)) await found.paths.read(paths);
        numbers.set(found, own);
        const { collection } = found;
        const item = next;
        next += 1;
        targets[index] = { ...found, item, numbers: own };
        content.add(
          ...([item, collection, it.kind, it.id, it.visibility] as const),
          ...([it.sortTime, it.createTime, it.updateTime, revision, it.doc] as const),
        );
        search.add(item, toScope(collection, it.visibility), it.words);
        addWords(it.words);
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
      for (const insert of [content, leaf, node, search, word]) await insert.flush();
    },

    async end() {
      const leftOut = [...collections.values()].flatMap(({ paths }) => paths.leftOut());
      if (next > first) await insertValues(tx, first, next - 1, leftOut);
    },
  };
}

/** How many words are remembered as written, so that memory stays bounded. */
const MOST_KNOWN = 200_000;

async function findNextItem(tx: Transaction<Schema>): Promise<number> {
  const { item } = await tx
    .selectFrom("content")
    .select((eb) => eb.fn.max("item").as("item"))
    .executeTakeFirstOrThrow();
  return (item ?? 0) + 1;
}

/** Fills the table of values from the leaves of some items, in its own order: that is faster by far. */
async function insertValues(
  tx: Transaction<Schema>,
  first: number,
  last: number,
  leftOut: readonly number[],
): Promise<void> {
  const isListed = leftOut.length === 0 ? ALWAYS : sql<SqlBool>`path not in (${sql.join(leftOut)})`;
  await sql`
    insert or ignore into content_value (path, visibility, value, sort_time, id, item)
    select path, visibility, substr(key, 1, ${sql.lit(VALUE_LENGTH)}), sort_time, id, leaf.item
    from content_leaf as leaf
    cross join content on content.item = leaf.item
    where leaf.item between ${first} and ${last} and ${isListed}
    order by 1, 2, 3, 4, 5
  `.execute(tx);
}
