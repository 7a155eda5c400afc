import type { WorkBudget } from "../../../../domain/base/work-budget.ts";
import { type ContentKind, DEFAULT_ORDERS } from "../../../../domain/content/order.ts";
import {
  type ListedPage,
  type ListPlace,
  mergePartitions,
  type PartitionPage,
} from "../../../content/places.ts";
import type { ContentQuery } from "../../../contract/content-store.ts";
import type { Db } from "../../../db/db.ts";
import type { Condition } from "../../../db/sql-text.ts";
import type { Dialect } from "../../base/dialect.ts";
import { findExistingPaths, resolvePatterns } from "../filter/field-names.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import { type LargestItem, listConjuncts, type PartitionList, planClauses } from "./clauses.ts";
import { listPartition } from "./partition.ts";
import { isByValue } from "./value-scan.ts";

/** The collection that a list reads. */
export interface ListSource {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly kind: ContentKind;
  readonly collection: number;
  /** The conditions of the windows of its items. */
  readonly open: readonly Condition[];
  readonly largest: LargestItem;
  readonly budget: WorkBudget;
}

/** Lists a page of items after a place from the partitions of a collection, one of each visibility. */
export async function listItems(
  query: Omit<ContentQuery, "after">,
  after: ListPlace | undefined,
  source: ListSource,
): Promise<ListedPage> {
  const { limit, order } = query;
  const plan = await planList({ ...query, after }, source);
  const pages: PartitionPage[] = [];
  for (const visibility of query.visibilities) {
    pages.push(await listPartition({ ...plan, visibility, limit: limit + 1 }));
  }
  return mergePartitions(pages, order, limit);
}

/** Plans a list for each of the partitions that it reads. */
export async function planList(
  {
    after,
    order,
    words,
    ...query
  }: Pick<ContentQuery, "filter" | "now" | "order" | "words"> & {
    readonly after?: ListPlace | undefined;
  },
  source: ListSource,
): Promise<Omit<PartitionList, "limit" | "visibility">> {
  const { budget, collection, db, dialect, kind, largest, open } = source;
  const now = query.now.getTime();
  const filter = query.filter && (await resolvePatterns(query.filter, source));
  const existing = filter === undefined ? new Map() : await findExistingPaths(filter, source);
  const { clauses, costs } = planClauses(filter, words, { dialect, collection, now, existing });
  return {
    db,
    dialect,
    budget,
    collection,
    largest,
    filter,
    existing,
    now,
    words,
    order,
    after,
    clauses,
    open,
    conditions: [],
    costs: isByValue(order) ? { ...costs, inSql: costs.inSql + 1 } : costs,
    bounds: findTimeBounds(listConjuncts(filter), order.field, now),
    postingField: DEFAULT_ORDERS[kind].field,
    withDocuments: true,
  };
}
