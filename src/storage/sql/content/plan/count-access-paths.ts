import { type RawBuilder, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Driver, Seek } from "./access-paths.ts";
import { selectSeek, type ValueSeek } from "./index-ranges.ts";
import type { ShelfQuery } from "./partition-query.ts";

/** What a driver finds, so far as it was counted. */
export interface CountedDriver {
  readonly driver: Driver;
  /** Those of its seeks that find something. */
  readonly seeks: readonly Seek[];
  readonly count: number;
  /** The one value that it finds its items by, if the table of values has the order of the list. */
  readonly lane?: ValueSeek;
  /** What the lane's item some way ahead is ordered by; null where the lane ends before. */
  readonly reach: number | string | null;
}

/** How far ahead lanes are compared, in items. */
const AHEAD = 64;

/**
 * Takes the drivers of a query as they are, where a count would tell nothing that is needed to begin:
 * there is no search, in which to try an item is dear, and at most one lane. Undefined otherwise.
 */
export function toUncounted(query: ShelfQuery): readonly CountedDriver[] | undefined {
  const lanes = query.isOwnOrder
    ? query.drivers.filter((driver) => driver.seeks.length > 0 && driver.seeks.every(isLane))
    : [];
  const [only] = lanes;
  const isCompared = lanes.length > 1 || (only !== undefined && only.seeks.length > 1);
  if (isCompared || query.options.search !== undefined) return undefined;
  return query.drivers.map((driver) => {
    const [lane] = driver === only ? driver.seeks.filter(isLane) : [];
    const count = driver.seeks.length === 0 ? 0 : Number.POSITIVE_INFINITY;
    return { driver, seeks: driver.seeks, count, reach: null, ...(lane !== undefined && { lane }) };
  });
}

/** Counts what each driver of a query finds, a seek up to the cap, and looks ahead along the lanes. */
export async function countDrivers(
  query: ShelfQuery,
  after: ContentPlace | undefined,
  cap: number,
): Promise<readonly CountedDriver[]> {
  const { drivers, options, isOwnOrder } = query;
  const seeks = drivers.flatMap((driver) => driver.seeks);
  if (seeks.length === 0) return drivers.map((driver) => toCounted(driver, []));
  const isCompared = isOwnOrder && seeks.filter(isLane).length > 1;
  const numbers = seeks.flatMap((seek) => [
    sql`(select count(*) from (${selectSeek(seek, options)} limit ${sql.lit(cap)}))`,
    isCompared && isLane(seek) ? lookAhead(query, seek, after) : sql`null`,
  ]);
  const [row] = await query.run(sql<{ found: string }>`
    select json_array(${sql.join(numbers)}) as found
  `);
  const found = JSON.parse(row?.found ?? "[]") as (number | null)[];
  let next = 0;
  return drivers.map((driver) =>
    toCounted(
      driver,
      driver.seeks.map((seek) => ({
        seek,
        count: found[next++] ?? 0,
        reach: found[next++] ?? null,
      })),
    ),
  );

  function toCounted(driver: Driver, all: readonly CountedSeek[]): CountedDriver {
    const found = all.filter(({ count }) => count > 0);
    const [only] = found;
    const lane = found.length === 1 && isOwnOrder && only && isLane(only.seek) ? only : undefined;
    return {
      driver,
      seeks: found.map(({ seek }) => seek),
      count: found.reduce((sum, { count }) => sum + count, 0),
      reach: lane?.reach ?? null,
      ...(lane !== undefined && isLane(lane.seek) && { lane: lane.seek }),
    };
  }
}

interface CountedSeek {
  readonly seek: Seek;
  readonly count: number;
  readonly reach: number | string | null;
}

/** Finds the driver with the fewest items; undefined if none has fewer than `below`. */
export function findFewest(
  counted: readonly CountedDriver[],
  below: number,
): CountedDriver | undefined {
  const [fewest] = counted.toSorted((a, b) => a.count - b.count);
  return fewest !== undefined && fewest.count < below ? fewest : undefined;
}

/** Finds the driver with the sparsest lane: the one whose items reach furthest along the order. */
export function findSparsest(
  counted: readonly CountedDriver[],
  direction: "asc" | "desc",
): CountedDriver | undefined {
  const sign = direction === "asc" ? 1 : -1;
  const [sparsest] = counted
    .filter(({ lane }) => lane !== undefined)
    .toSorted(({ reach: a }, { reach: b }) => {
      if (a === b) return 0;
      if (a === null || b === null) return a === null ? -1 : 1;
      return a < b ? sign : -sign;
    });
  return sparsest;
}

function isLane(seek: Seek): seek is ValueSeek {
  return seek.kind === "values" && seek.values.length === 1;
}

function lookAhead(
  query: ShelfQuery,
  seek: ValueSeek,
  after: ContentPlace | undefined,
): RawBuilder<unknown> {
  const [segment] = query.split(seek, after);
  if (segment === undefined) throw new Error("an order has a segment");
  const { table, key, conditions, orderBy } = segment;
  return sql`(
    select coalesce(${key}, source.id) from ${sql.raw(table)} as source
    where ${sql.join(conditions, sql` and `)}
    order by ${orderBy} limit 1 offset ${sql.lit(AHEAD)}
  )`;
}
