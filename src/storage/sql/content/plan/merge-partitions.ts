import type { ContentOrder } from "../../../../domain/content/order.ts";
import { compareCodePoints } from "../../../../domain/kql/index.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { ShelfPage } from "./list-partition.ts";
import type { ListedRow } from "./partition-query.ts";

/** The items of a page, and where the next one begins if there may be one. */
export interface MergedPage {
  readonly rows: readonly ListedRow[];
  readonly next: ContentPlace | undefined;
}

/** Merges what was found on several shelves, one more than the limit on each if there were as many. */
export function mergeShelves(
  pages: readonly ShelfPage[],
  order: ContentOrder,
  limit: number,
): MergedPage {
  const compare = (a: ContentPlace, b: ContentPlace) => comparePlaces(order, a, b);
  const rows = pages.flatMap((page) => page.rows);
  if (pages.length > 1) rows.sort(compare);
  const [end] = pages.flatMap((page) => page.end ?? []).toSorted(compare);
  const known = end === undefined ? rows : rows.filter((row) => compare(row, end) <= 0);
  const shown = known.slice(0, limit);
  return { rows: shown, next: known.length > limit ? shown.at(-1) : end };
}

/** Compares two places of an order; what has no value comes last, by id. */
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
