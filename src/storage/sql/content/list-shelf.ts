import { setImmediate } from "node:timers/promises";
import type { ContentPlace } from "../../delivery-store.ts";
import { countDrivers, findFewest, findSparsest, toUncounted } from "./count-drivers.ts";
import { OrderWalk } from "./order-walk.ts";
import type { ListedRow, ShelfQuery } from "./shelf-query.ts";
import { sortFound } from "./sort-found.ts";

/** What a list found on one shelf. */
export interface ShelfPage {
  readonly rows: readonly ListedRow[];
  /** Up to where everything is found; absent when that is all there is, or as much as was wanted. */
  readonly end?: ContentPlace;
}

/** So few items are found, tried and sorted in less time than an order is walked. */
const FEW = 100;

/** More items are never sorted, however long the walk. */
const MANY = 40_000;

/** How many items a walk tries at a time: first, first along the sparsest of several lanes, at most. */
const FIRST_STEP = 64;
const FIRST_LANE_STEP = 640;
const LONGEST_STEP = 4_000;

/** How many items are tried for one answer. */
const LONGEST_WALK = 32_000;

/**
 * Lists the first items of one shelf behind a place. The way is chosen by what a query meets. A few
 * items of the order are tried first, along one value if the table of values has the order: that is
 * all where much of the order meets the filter. Where lanes have to be compared, or there is a search,
 * what each clause finds is counted before that. Few items are sorted; so are more, where little was
 * met and the walk would be longer. A long walk lets other work in between, and ends where it would
 * take too long. The numbers are for a filter of weight 1.
 */
export async function listShelf(
  query: ShelfQuery,
  after: ContentPlace | undefined,
  limit: number,
): Promise<ShelfPage> {
  const { weight, options } = query;
  const { direction } = options.order;
  const rows: ListedRow[] = [];
  let end = after;
  let counted = toUncounted(query);
  let size = counted === undefined ? FIRST_LANE_STEP : FIRST_STEP;
  /** How many items are sorted rather than walked on; up to so many were counted. */
  let bearable = FEW;
  if (counted === undefined) counted = await countDrivers(query, after, bearable);
  let walk: OrderWalk | undefined;
  for (let walked = 0; walked < LONGEST_WALK; ) {
    if (counted.some(({ count }) => count === 0)) return { rows };
    const found = findFewest(counted, bearable);
    if (found !== undefined) {
      rows.push(...(await sortFound(query, counted, found, end, limit - rows.length)));
      return { rows };
    }
    walk ??= new OrderWalk(query, counted, findSparsest(counted, direction), end);
    if (walked > FIRST_STEP) await setImmediate();
    const step: ShelfPage = await walk.step(limit - rows.length, Math.ceil(size / weight));
    rows.push(...step.rows);
    if (step.end === undefined) return { rows };
    end = step.end;
    walked += size;
    const far = ((limit - rows.length) * walked) / Math.max(rows.length, 0.5);
    size = Math.min(Math.max(FIRST_LANE_STEP, Math.ceil(far)), LONGEST_STEP);
    // To sort an item takes about as long as to walk two.
    const worth = Math.min(Math.ceil(far / 2), MANY) / weight;
    if (far > LONGEST_STEP / 2 && worth > 2 * bearable) {
      bearable = Math.ceil(worth);
      counted = await countDrivers(query, end, bearable);
      walk = undefined;
    }
  }
  return { rows, ...(end !== undefined && { end }) };
}
