import type { ContentKind, ContentOrder } from "../../../../domain/content/order.ts";
import { compareCodePoints, createKqlSteps, type KqlNode } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { Db } from "../../../db/db.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { ExistingPaths } from "../filter/existing-paths.ts";
import { toBoundsForm, toFilterForm, toWordForm } from "../filter/filter-form.ts";
import { FormValues } from "../filter/form-values.ts";
import { findTimeBounds } from "../filter/time-bounds.ts";
import type { PlanCache } from "./list-plan.ts";
import { type LargestItem, type ListedRow, PartitionQuery } from "./partition-query.ts";
import { type PartitionPage, PartitionReader } from "./partition-reader.ts";

/** A list of one collection. */
export interface ListOptions {
  readonly kind: ContentKind;
  readonly collection: number;
  /** Each is a partition of its own. */
  readonly visibilities: readonly number[];
  readonly filter: KqlNode | undefined;
  /** The words of a search. */
  readonly words: readonly string[];
  /** The paths at or below the fields that the filter wants to exist. */
  readonly existing: ExistingPaths;
  readonly largest: LargestItem;
  readonly order: ContentOrder;
  readonly limit: number;
  readonly after: ContentPlace | undefined;
  /** Unix milliseconds. */
  readonly now: number;
  readonly budget: WorkBudget;
}

/** The rows of a page, and the start of the next page if there may be one. */
export interface ListedPage {
  readonly rows: readonly ListedRow[];
  readonly next: ContentPlace | undefined;
}

/** Lists a page of items from the partitions of a collection. */
export async function listPartitions(
  db: Db,
  plans: PlanCache,
  options: ListOptions,
): Promise<ListedPage> {
  const { kind, collection, visibilities, filter, words, order, limit, after, now } = options;
  const { existing, largest, budget } = options;
  const { dialect } = plans;
  const values = new FormValues();
  const bounds = filter && findTimeBounds(filter, order.field, now);
  const plan = plans.find({
    kind,
    order,
    filter: filter && toFilterForm(filter, { values, now, dialect, existing }),
    words: words.map((word) => toWordForm(word, values)),
    bounds: bounds && toBoundsForm(bounds, values),
  });
  const listed = values.list();
  const test = filter && plan.filter.inMemory.size > 0 ? createKqlSteps(filter, now) : undefined;
  const pages: PartitionPage[] = [];
  for (const visibility of visibilities) {
    const query = new PartitionQuery(db, plan, {
      values: { filter: listed, list: { collection, visibility } },
      largest,
      budget,
    });
    const reader = new PartitionReader(query, after, limit + 1, test);
    pages.push(await reader.read());
  }
  return mergePartitions(pages, order, limit);
}

/**
 * Merges pages of partitions, each read for one item more than the limit. Returns nothing after the first
 * place at which a partition stopped.
 */
export function mergePartitions(
  pages: readonly PartitionPage[],
  order: ContentOrder,
  limit: number,
): ListedPage {
  const compare = (a: ContentPlace, b: ContentPlace) => comparePlaces(order, a, b);
  const rows = pages.flatMap((page) => page.rows);
  if (pages.length > 1) rows.sort(compare);
  const [end] = pages.flatMap((page) => page.end ?? []).toSorted(compare);
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0);
  const shown = known.slice(0, limit);
  return { rows: shown, next: known.length > limit ? shown.at(-1) : end };
}

/** Compares two places in an order; items without a value come last, by id. */
function comparePlaces(
  { field, direction }: ContentOrder,
  a: ContentPlace,
  b: ContentPlace,
): number {
  const sign = direction === "asc" ? 1 : -1;
  const byId = compareCodePoints(a.id, b.id);
  if (field === "id") return sign * byId;
  if (a.key === b.key) return byId;
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
  return sign * compareKeys(a.key, b.key);
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareCodePoints(`${a}`, `${b}`);
}
