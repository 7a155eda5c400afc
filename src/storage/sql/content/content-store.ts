import type { ContentKind } from "../../../domain/content/order.ts";
import { notFound } from "../../../domain/errors.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../domain/work-budget.ts";
import type {
  ContentEntry,
  ContentQuery,
  ContentStore,
  VisibilityScope,
} from "../../delivery-store.ts";
import { createOwnBudget, runCounted } from "../counted.ts";
import type { Connections } from "../schema.ts";
import type { ContentMessages } from "./content-kinds.ts";
import { resolveNames } from "./filter/resolve-names.ts";
import { toSearchQuery } from "./filter/search-words.ts";
import { type ListedPage, listPartitions } from "./plan/list-partitions.ts";
import type { ListedRow } from "./plan/partition-query.ts";
import { readContent } from "./stored-content.ts";

/** Creates the store of one kind of content. */
export function createContentStore<Kind extends ContentKind>(
  { read }: Connections,
  kind: Kind,
  version: () => number,
): ContentStore<ContentMessages[Kind]> {
  /** The numbers of collections, as they were at a version. */
  const collections = new Map<string, number>();
  let collectionsVersion = version();
  const select = ({ projectId, visibilities }: VisibilityScope, ids: readonly string[]) =>
    read
      .selectFrom("content")
      .innerJoin("content_collection", "content_collection.collection", "content.collection")
      .select(["id", "doc"])
      .where("content.kind", "=", kind)
      .where("id", "in", [...ids])
      .where("project_id", "=", projectId)
      .where("visibility", "in", [...visibilities])
      .compile();

  return {
    async get(key) {
      const { rows } = await read.executeQuery(select(key, [key.id]));
      const [row] = rows;
      if (row === undefined) throw notFound(`${kind} ${key.id}`);
      return readContent(kind, row);
    },

    async getMany({ budget = createOwnBudget(), ids, ...scope }) {
      if (ids.length === 0) return [];
      const rows = await runCounted(read, budget, select(scope, ids));
      return budget.count(() => rows.map((row) => readContent(kind, row)));
    },

    async list({ budget = createOwnBudget(), ...query }) {
      const { rows, next } = await listRows(query, budget);
      const entries: ContentEntry<ContentMessages[Kind]>[] = [];
      const start = budget.spent;
      for (const chunk of toChunks(rows)) {
        const last = entries.at(-1)?.place;
        if (last !== undefined && budget.spent - start >= WORK_LIMITS.page) {
          return { entries, next: last };
        }
        await budget.nextStep();
        budget.count(() => {
          for (const row of chunk) {
            entries.push({
              item: readContent(kind, row),
              place: { key: row.key, id: row.id },
            });
          }
        });
      }
      return { entries, ...(next !== undefined && { next }) };
    },
  };

  async function listRows(query: ContentQuery, budget: WorkBudget): Promise<ListedPage> {
    const { after, limit, order, projectId, visibilities, words } = query;
    const collection = await findCollection(projectId);
    if (collection === undefined) return NOTHING;
    const filter = await resolveNames(query.filter, { db: read, collection, budget });
    const search = words.length === 0 ? undefined : await toSearchQuery(read, words);
    if (search === undefined && words.length > 0) return NOTHING;
    return await listPartitions(read, {
      ...{ kind, collection, visibilities, filter, search, order, limit, after, budget },
      now: query.now.getTime(),
    });
  }

  async function findCollection(projectId: string): Promise<number | undefined> {
    if (collectionsVersion !== version()) collections.clear();
    collectionsVersion = version();
    const known = collections.get(projectId);
    if (known !== undefined) return known;
    const row = await read
      .selectFrom("content_collection")
      .select("collection")
      .where("project_id", "=", projectId)
      .where("kind", "=", kind)
      .executeTakeFirst();
    if (row !== undefined) collections.set(projectId, row.collection);
    return row?.collection;
  }
}

const NOTHING: ListedPage = { rows: [], next: undefined };

/** The characters that are read at a time; the last document may exceed them. */
const CHUNK_LENGTH = 65_536;

/** Cuts rows into chunks short enough to be read without a pause. */
function toChunks(rows: readonly ListedRow[]): readonly (readonly ListedRow[])[] {
  const chunks: ListedRow[][] = [];
  let left = 0;
  for (const row of rows) {
    if (left <= 0) {
      chunks.push([]);
      left = CHUNK_LENGTH;
    }
    chunks.at(-1)?.push(row);
    left -= row.doc.length;
  }
  return chunks;
}
