import type { WorkBudget } from "../../../../domain/base/work-budget.ts";
import {
  type ContentKind,
  type ContentOrder,
  DEFAULT_ORDERS,
} from "../../../../domain/content/order.ts";
import { compareCodePoints } from "../../../../domain/kql/index.ts";
import type { ContentQuery } from "../../../contract/content-store.ts";
import type { Db } from "../../../db/db.ts";
import type { Dialect } from "../../base/dialect.ts";
import { findExistingPaths, resolvePatterns } from "../filter/field-names.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import {
  type LargestItem,
  type ListedRow,
  type ListPlace,
  listConjuncts,
  type PartitionList,
  planClauses,
} from "./clauses.ts";
import { listPartition, type PartitionPage } from "./partition.ts";
import { BEFORE, isByValue } from "./value-scan.ts";

/** The collection that a list reads. */
export interface ListSource {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly kind: ContentKind;
  readonly collection: number;
  readonly largest: LargestItem;
  readonly budget: WorkBudget;
}

/** The rows of a page, and the start of the next page if there may be one. */
export interface ListedPage<Row = ListedRow> {
  readonly rows: readonly Row[];
  readonly next: ListPlace | undefined;
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
  const { budget, collection, db, dialect, kind, largest } = source;
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
    conditions: [],
    costs: isByValue(order) ? { ...costs, inSql: costs.inSql + 1 } : costs,
    bounds: findTimeBounds(listConjuncts(filter), order.field, now),
    postingField: DEFAULT_ORDERS[kind].field,
    withDocuments: true,
  };
}

/**
 * Merges pages of partitions, each read for one item more than the limit. Returns nothing after the first place that
 * ended the reading of a partition.
 */
export function mergePartitions<Row extends ListPlace>(
  pages: readonly PartitionPage<Row>[],
  order: ContentOrder,
  limit: number,
): ListedPage<Row> {
  const compare = (a: ListPlace, b: ListPlace) => comparePlaces(order, a, b);
  const rows = pages.flatMap((page) => page.rows);
  if (pages.length > 1) rows.sort(compare);
  const [end] = pages.flatMap((page) => page.end ?? []).toSorted(compare);
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0);
  const shown = known.slice(0, limit);
  return { rows: shown, next: known.length > limit ? shown.at(-1) : end };
}

/** Compares two places in an order; items without a value come last, by the rest of the order. */
export function comparePlaces(
  { field, direction, second }: ContentOrder,
  a: ListPlace,
  b: ListPlace,
): number {
  const sign = direction === "asc" ? 1 : -1;
  const byId = compareCodePoints(a.id, b.id);
  if (field === "id") return sign * byId;
  if (a.key === b.key) {
    if (second === undefined) return byId;
    if (a.second === undefined) return b.second === undefined ? byId : toSide(a);
    if (b.second === undefined) return -toSide(b);
    return comparePlaces(second, { key: a.second, id: a.id }, { key: b.second, id: b.id });
  }
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
  return sign * compareKeys(a.key, b.key);
}

/** Reports on which side of all items of a value a place without a second key lies: -1 before, 1 behind. */
function toSide({ id }: ListPlace): -1 | 1 {
  return id === BEFORE ? -1 : 1;
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareCodePoints(`${a}`, `${b}`);
}
