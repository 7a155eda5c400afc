import type { ContentKind } from "../../../domain/content/order.ts";
import { notFound } from "../../../domain/errors.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../domain/work-budget.ts";
import type {
  ContentEntry,
  ContentQuery,
  ContentStore,
  VisibilityScope,
} from "../../delivery-store.ts";
import type { Connections } from "../connections.ts";
import { createOwnBudget, runCounted } from "../counted.ts";
import { createRevisionMemo, type OfRevision } from "../revision-memo.ts";
import type { ContentMessages } from "./content-kinds.ts";
import { resolveNames } from "./filter/resolve-names.ts";
import { type ListedPage, listPartitions } from "./plan/list-partitions.ts";
import type { ListedRow } from "./plan/partition-query.ts";
import { readContent } from "./stored-content.ts";

/** The most projects whose collections are cached. */
const MOST_COLLECTIONS = 10_000;

/** The number of a project's collection. */
interface Collection extends OfRevision {
  readonly collection: number;
}

/** Creates the store of one kind of content. */
export function createContentStore<Kind extends ContentKind>(
  { read, changes, dialect }: Connections,
  kind: Kind,
): ContentStore<ContentMessages[Kind]> {
  const collections = createRevisionMemo<Collection>(changes, MOST_COLLECTIONS);
  // Looks up items through the project's collection, as ids are unique only in an organization.
  const select = ({ projectId, visibilities }: VisibilityScope, ids: readonly string[]) =>
    read
      .selectFrom("content_collection")
      .innerJoin("content", "content.collection", "content_collection.collection")
      .select(["id", "doc"])
      .where("project_id", "=", projectId)
      .where("content_collection.kind", "=", kind)
      .where("visibility", "in", [...visibilities])
      .where("id", "in", [...ids])
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
    const { after, limit, now, order, projectId, visibilities, words } = query;
    const collection = await findCollection(projectId);
    if (collection === undefined) return NOTHING;
    const filter = await resolveNames(query.filter, { db: read, collection, budget });
    const search = words.length === 0 ? undefined : await dialect.search.toQuery(read, words);
    if (search === undefined && words.length > 0) return NOTHING;
    return await listPartitions(read, {
      kind,
      collection,
      visibilities,
      filter,
      search,
      order,
      limit,
      after,
      now: now.getTime(),
      budget,
      dialect,
    });
  }

  async function findCollection(projectId: string): Promise<number | undefined> {
    const found = await collections.find(projectId, () =>
      read
        .selectFrom("content_collection")
        .innerJoin("project", "project.id", "content_collection.project_id")
        .select(["project_id as projectId", "change_count as revision", "collection"])
        .where("project_id", "=", projectId)
        .where("kind", "=", kind)
        .executeTakeFirst(),
    );
    return found?.collection;
  }
}

const NOTHING: ListedPage = { rows: [], next: undefined };

/** The characters read at a time; the last document may exceed them. */
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
