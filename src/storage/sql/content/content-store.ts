import { sql } from "kysely";
import type { ContentKind } from "../../../domain/content/order.ts";
import { notFound } from "../../../domain/errors.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../domain/work-budget.ts";
import { build, Statement } from "../../db/query.ts";
import type {
  ContentEntry,
  ContentIds,
  ContentQuery,
  ContentStore,
  StoredContent,
} from "../../delivery-store.ts";
import type { Connections } from "../connections.ts";
import { createListBudget } from "../list-budget.ts";
import type { Collection, ItemRow } from "./content-caches.ts";
import { findExistingPaths } from "./filter/existing-paths.ts";
import { resolveNames } from "./filter/resolve-names.ts";
import { type ListedPage, listPartitions } from "./plan/list-partitions.ts";
import type { ListedRow } from "./plan/partition-query.ts";

/** Creates the store of one kind of content. */
export function createContentStore(
  { read, contentCaches }: Pick<Connections, "contentCaches" | "read">,
  kind: ContentKind,
): ContentStore {
  const { collections, plans, lookUps } = contentCaches[kind];

  return {
    async get({ id, ...scope }) {
      const [item] = await getMany({ ...scope, ids: [id] });
      if (item === undefined) throw notFound(`${kind} ${id}`);
      return item;
    },

    getMany,

    async list({ budget = createListBudget(), ...query }) {
      const { rows, next } = await listRows(query, budget);
      const entries: ContentEntry[] = [];
      const start = budget.spent;
      for (const chunk of toChunks(rows)) {
        const last = entries.at(-1)?.place;
        if (last !== undefined && budget.spent - start >= WORK_LIMITS.page) {
          return { entries, next: last };
        }
        await budget.nextStep();
        const cut = budget.count(() => {
          for (const row of chunk) {
            const fits = budget.takeBytes(Buffer.byteLength(row.doc));
            const last = entries.at(-1)?.place;
            if (!fits && last !== undefined) return last;
            entries.push({
              item: { id: row.id, json: row.doc },
              place: { key: row.key, id: row.id },
            });
          }
          return undefined;
        });
        if (cut !== undefined) return { entries, next: cut };
      }
      return { entries, next };
    },
  };

  /** Reads items, and leaves visibility to the end, as it would cost a seek in the index for each. */
  async function getMany({
    projectId,
    visibilities,
    ids,
    budget = createListBudget(),
  }: ContentIds): Promise<StoredContent[]> {
    const found = ids.length === 0 ? undefined : await findCollection(projectId);
    if (found === undefined) return [];
    const { organizationId, collection } = found;
    const values = [organizationId, collection, ...ids];
    const query = selectItems(ids.length).bind((slot) => values[Number(slot)]);
    const rows = await read.all(query, budget);
    return budget.count(() =>
      rows
        .filter((row) => visibilities.some((visibility) => visibility === row.visibility))
        .map(({ id, doc }) => ({ id, json: doc })),
    );
  }

  /** Selects a number of items by organization, collection and ids, with one seek in an index for each. */
  function selectItems(count: number): Statement<ItemRow> {
    const known = lookUps.get(count);
    if (known !== undefined) return known;
    const [organization, collection, ...ids] = Array.from({ length: count + 2 }, (_, slot) => ({
      slot,
    }));
    const statement = new Statement(
      () => sql<ItemRow>`
      select id, doc, visibility from content
      where organization_id = ${organization} and kind = ${kind} and id in (${sql.join(ids)})
        and collection = ${collection}
    `,
    );
    lookUps.set(count, statement);
    return statement;
  }

  async function listRows(query: ContentQuery, budget: WorkBudget): Promise<ListedPage> {
    const { after, limit, now, order, projectId, visibilities, words } = query;
    const found = await findCollection(projectId);
    if (found === undefined) return NOTHING;
    const { collection, most_values: values, most_characters: characters } = found;
    const place = { db: read, collection, budget };
    const filter = await resolveNames(query.filter, place);
    const existing = await findExistingPaths(filter, place);
    return await listPartitions(read, plans, {
      kind,
      collection,
      visibilities,
      filter,
      existing,
      largest: { values, characters },
      words,
      order,
      limit,
      after,
      now: now.getTime(),
      budget,
    });
  }

  function findCollection(projectId: string): Promise<Collection | undefined> {
    return collections.find(projectId, () =>
      read.first(
        build
          .selectFrom("content_collection")
          .innerJoin("project", "project.id", "content_collection.project_id")
          .select(["project_id as projectId", "change_count as revision"])
          .select(["organization_id as organizationId", "collection"])
          .select(["most_values", "most_characters"])
          .where("project_id", "=", projectId)
          .where("kind", "=", kind),
      ),
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
