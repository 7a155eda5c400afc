import { WORK_LIMITS } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { countDrivers, findFewest, findSparsest, toUncounted } from "./count-access-paths.ts";
import { OrderWalk } from "./order-scan.ts";
import type { ListedRow, ShelfQuery } from "./partition-query.ts";
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

/** How many times as many items a step may try as the one before. */
const MOST_GROWTH = 8;

const { statement: STATEMENT, sort: SORT } = WORK_LIMITS;

/** How many documents one statement reads. */
const MOST_ROWS = 250;

/**
 * Lists the first items of one shelf behind a place. The way is chosen by what a query meets. A few
 * items of the order are tried first, along one value if the table of values has the order: that is
 * all where much of the order meets the filter. Where lanes have to be compared, or there is a search,
 * what each clause finds is counted before that. Few items are sorted; so are more, where little was
 * met and the walk would be longer. How much one statement takes on is chosen by the time that the one
 * before took. The list ends where the budget is spent, after one step at least. The numbers are for a
 * filter of weight 1.
 */
export async function listShelf(
  query: ShelfQuery,
  after: ContentPlace | undefined,
  limit: number,
): Promise<ShelfPage> {
  const { weight, options } = query;
  const { budget } = options;
  const { direction } = options.order;
  const rows: ListedRow[] = [];
  let end = after;
  let counted = toUncounted(query);
  let size = Math.ceil((counted === undefined ? FIRST_LANE_STEP : FIRST_STEP) / weight);
  /** How many items are sorted rather than walked on; up to so many were counted. */
  let bearable = FEW;
  if (counted === undefined) counted = await countDrivers(query, after, bearable);
  let walk: OrderWalk | undefined;
  let walked = 0;
  do {
    if (counted.some(({ count }) => count === 0)) return { rows };
    const found = findFewest(counted, bearable);
    if (found !== undefined) {
      rows.push(...(await sortFound(query, counted, found, end, limit - rows.length)));
      return { rows };
    }
    walk ??= new OrderWalk(query, counted, findSparsest(counted, direction), end);
    await budget.nextStep();
    const before = budget.spent;
    const wanted = Math.min(limit - rows.length, MOST_ROWS);
    const step: ShelfPage = await walk.step(wanted, size);
    rows.push(...step.rows);
    if (step.end === undefined) {
      const last = rows.at(-1);
      if (step.rows.length < wanted || rows.length === limit || last === undefined) return { rows };
      end = { key: last.key, id: last.id };
      walk = undefined;
      continue;
    }
    end = step.end;
    walked += size;
    const took = budget.spent - before;
    /** How many items are walked in a millisecond. */
    const pace = size / took;
    // A statement has a price of its own: what is slow may get faster with more items.
    const fitting =
      size * (took > STATEMENT ? 0.5 : Math.min(Math.max(2, STATEMENT / took), MOST_GROWTH));
    const far = ((limit - rows.length) * walked) / Math.max(rows.length, 0.5);
    const next = Math.min(Math.max(FIRST_LANE_STEP / weight, far), LONGEST_STEP);
    size = Math.ceil(Math.min(next, fitting));
    // To sort an item takes about as long as to walk two.
    const worth = Math.min(far / 2, MANY / weight, (pace / 2) * SORT);
    if (far * weight > LONGEST_STEP / 2 && worth > 2 * bearable) {
      bearable = Math.ceil(worth);
      counted = await countDrivers(query, end, bearable);
      walk = undefined;
    }
  } while (!budget.isSpent);
  return { rows, ...(end !== undefined && { end }) };
}
