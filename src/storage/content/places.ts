import type { OrderPlace } from "../../domain/base/paging.ts";
import type { ContentOrder } from "../../domain/content/order.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";

/** The sort key of a posting list: a time or an id. */
export type SortKey = number | string | null;

/** A place in the order of a list. */
export interface ListPlace {
  /** A time in microseconds, or the sort key of a value; null without one, and in order by id. */
  readonly key: SortKey;
  /** The key of the second field; undefined in an order without one, and for places before or after a whole value. */
  readonly second?: SortKey | undefined;
  readonly id: string;
}

/** The ids of places before and after all items with a value. */
export const [BEFORE, BEHIND] = ["", "\u{10ffff}"];

/** A listed item with its place in the list's order. */
export interface ListedRow extends ListPlace {
  /** Its number; absent for a draft. */
  readonly item?: number;
  /** Empty in a list without documents. */
  readonly doc: string;
  /** The bytes of the document in UTF-8. */
  readonly bytes: number;
}

/** The rows of one partition after a place. */
export interface PartitionPage<Row = ListedRow> {
  readonly rows: readonly Row[];
  /** The place where reading stopped; absent at the end of the partition, or with as many rows as wanted. */
  readonly end?: ListPlace;
}

/** The rows of a page, and the start of the next page if there may be one. */
export interface ListedPage<Row = ListedRow> {
  readonly rows: readonly Row[];
  readonly next: ListPlace | undefined;
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

/** Prints a place; in an order by two fields, its key is a JSON array of theirs. */
export function printPlace(order: ContentOrder, { key, second, id }: ListPlace): OrderPlace {
  if (order.second === undefined) return { key, id };
  return { key: JSON.stringify(second === undefined ? [key] : [key, second]), id };
}

/** Parses a place that {@link printPlace} has printed. */
export function parsePlace(order: ContentOrder, { key, id }: OrderPlace): ListPlace {
  if (order.second === undefined) return { key, id };
  const [first = null, second] = JSON.parse(String(key)) as SortKey[];
  return { key: first, second, id };
}
