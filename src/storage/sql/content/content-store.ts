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
import { createLookupMemo, type OfRevision } from "../lookup-memo.ts";
import type { ContentMessages } from "./content-kinds.ts";
import { resolveNames } from "./filter/resolve-names.ts";
import { type ListedPage, listPartitions } from "./plan/list-partitions.ts";
import { PlanCache } from "./plan/list-plan.ts";
import type { ListedRow } from "./plan/partition-query.ts";
import { type DocumentRow, readContent } from "./stored-content.ts";

/** The most projects whose collections are cached. */
const MOST_COLLECTIONS = 10_000;

/** The row of an item looked up by its id. */
interface ItemRow extends DocumentRow {
  readonly visibility: number;
}

/** The content of one kind in a project. */
interface Collection extends OfRevision {
  readonly organizationId: string;
  readonly collection: number;
}

/** Creates the store of one kind of content. */
export function createContentStore<Kind extends ContentKind>(
  { read, changes, dialect }: Connections,
  kind: Kind,
): ContentStore<ContentMessages[Kind]> {
  const collections = createLookupMemo<Collection>(changes, MOST_COLLECTIONS);
  const plans = new PlanCache(dialect);

  return {
    async get(scope) {
      const query = await selectItems(scope, [scope.id]);
      const found = query && (await read.executeQuery(query));
      const [item] = readItems(scope, found?.rows ?? []);
      if (item === undefined) throw notFound(`${kind} ${scope.id}`);
      return item;
    },

    async getMany({ budget = createOwnBudget(), ids, ...scope }) {
      const query = ids.length === 0 ? undefined : await selectItems(scope, ids);
      if (query === undefined) return [];
      const rows = await runCounted(read, budget, query);
      return budget.count(() => readItems(scope, rows));
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

  /** Selects items of the project, visible or not, with one seek in an index for each; undefined: it has none. */
  async function selectItems({ projectId }: VisibilityScope, ids: readonly string[]) {
    const found = await findCollection(projectId);
    if (found === undefined) return undefined;
    return read
      .selectFrom("content")
      .select(["id", "doc", "visibility"])
      .where("organization_id", "=", found.organizationId)
      .where("kind", "=", kind)
      .where("id", "in", [...ids])
      .where("collection", "=", found.collection)
      .compile();
  }

  /** Reads the visible items; the query leaves visibility aside, as it would cost a seek for each. */
  function readItems(
    { visibilities }: VisibilityScope,
    rows: readonly ItemRow[],
  ): ContentMessages[Kind][] {
    return rows
      .filter((row) => visibilities.some((visibility) => visibility === row.visibility))
      .map((row) => readContent(kind, row));
  }

  async function listRows(query: ContentQuery, budget: WorkBudget): Promise<ListedPage> {
    const { after, limit, now, order, projectId, visibilities, words } = query;
    const found = await findCollection(projectId);
    if (found === undefined) return NOTHING;
    const { collection } = found;
    const filter = await resolveNames(query.filter, { db: read, collection, budget });
    const search = words.length === 0 ? undefined : await dialect.search.toQuery(read, words);
    if (search === undefined && words.length > 0) return NOTHING;
    return await listPartitions(read, plans, {
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
    });
  }

  function findCollection(projectId: string): Promise<Collection | undefined> {
    return collections.find(projectId, () =>
      read
        .selectFrom("content_collection")
        .innerJoin("project", "project.id", "content_collection.project_id")
        .select(["project_id as projectId", "change_count as revision"])
        .select(["organization_id as organizationId", "collection"])
        .where("project_id", "=", projectId)
        .where("kind", "=", kind)
        .executeTakeFirst(),
    );
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
