import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import { UNSET_TIME } from "../../times.ts";
import { allOf, type Condition } from "../filter/conditions.ts";
import type { Slot } from "../filter/form-values.ts";
import { type OrderRun, type PostingOrder, SIZE } from "./order-runs.ts";

/** Two posting lists are read side by side if one has at most so many times the entries of the other. */
export const MOST_DENSE = 4;

/** The place up to which two posting lists are read. */
export interface Stop {
  readonly stopTime: number;
  readonly stopId: string;
}

/** The statements that read the items of two posting lists. */
export interface Intersection {
  /**
   * Selects the place `size` entries ahead in the first list, or behind the last entry of that time. Selects
   * nothing if the list ends before, or if either has more than `MOST_DENSE` times `size` entries up to there.
   */
  readonly stop: RawBuilder<Stop>;
  /** Selects the items of both lists up to the stop, in the list's order. */
  readonly items: RawBuilder<unknown>;
  /** Selects the place of the stop. */
  readonly last: RawBuilder<unknown>;
}

const STOP_TIME: Slot = { slot: "stopTime" };
const STOP_ID: Slot = { slot: "stopId" };

/** Intersects a run of a posting list with that of another; undefined for runs of other orders. */
export function intersect(run: OrderRun, other: OrderRun): Intersection | undefined {
  if (run.postingOrder === undefined) return undefined;
  const { readBy, upTo, at, sortBy } = READINGS[run.postingOrder];
  const [time, id] = [sql`stop.time`, sql`stop.id`];
  const isBounded = (list: OrderRun) =>
    sql`(select 1 ${from(list, upTo(time, id))} limit 1 offset ${sql.lit(MOST_DENSE)} * ${SIZE}) is null`;
  const entries = (list: OrderRun) => sql`
    select source.sort_time, source.id, source.item ${from(list, upTo(sql`${STOP_TIME}`, sql`${STOP_ID}`))}
  `;
  return {
    stop: sql`
      select time as "stopTime", (select max(source.id) ${from(run, at(time, id))}) as "stopId"
      from (
        select source.sort_time as time, source.id as id ${from(run)}
        order by ${readBy} limit 1 offset ${SIZE} - 1
      ) as stop
      where ${isBounded(run)} and ${isBounded(other)}
    `,
    items: sql`
      select ${run.key} as key, source.id, source.sort_time, source.item
      from (${entries(run)} intersect ${entries(other)} order by ${readBy}) as source ${sortBy}
    `,
    last: sql`select nullif(${STOP_TIME}, ${sql.lit(UNSET_TIME)}) as key, ${STOP_ID} as id`,
  };
}

/** So many times the items of a step are read of another posting list into a hash table. */
const MOST_HASHED = 2;

/**
 * Holds for items of a run, as `source`, that a run of other posting lists has as well. The first entries of those
 * are hashed, which costs a tenth of looking them up; items beyond them are looked up by `hasPosting`.
 */
export function isAmongFirst(
  run: OrderRun,
  others: readonly OrderRun[],
  hasPosting: Condition,
): Condition {
  if (run.postingOrder === undefined) return hasPosting;
  const { readBy, isBefore, place } = READINGS[run.postingOrder];
  const size = sql`${sql.lit(MOST_HASHED)} * ${SIZE}`;
  const isBeforeLast = others.map((other) => {
    const last = sql`(select ${place} ${from(other)} order by ${readBy} limit 1 offset ${size} - 1)`;
    return sql<SqlBool>`coalesce(${isBefore(last)}, true)`;
  });
  const first = others.map(
    (other) => sql`(select source.item ${from(other)} order by ${readBy} limit ${size})`,
  );
  // A CASE, as the planner would join what is a condition.
  return sql<SqlBool>`
    case when ${allOf(isBeforeLast)} then source.item in (${sql.join(first, sql` union all `)})
      else ${hasPosting} end
  `;
}

function from({ table, conditions }: OrderRun, ...more: readonly Condition[]): RawBuilder<unknown> {
  return sql`from ${sql.raw(table)} as source where ${sql.join([...conditions, ...more], sql` and `)}`;
}

type ToCondition = (time: Expression<unknown>, id: Expression<unknown>) => Condition;

/** How posting lists are read side by side. */
interface Reading {
  /** An order that the index yields, forwards or backwards. */
  readonly readBy: RawBuilder<unknown>;
  /** Holds for entries up to a stop. */
  readonly upTo: ToCondition;
  /** Holds for entries that the stop may be. */
  readonly at: ToCondition;
  /** The place of an entry by which `isBefore` compares the item with it: it holds for no later one. */
  readonly place: RawBuilder<unknown>;
  readonly isBefore: (place: Expression<unknown>) => Condition;
  /** Sorts the items found, if their order is another. */
  readonly sortBy: RawBuilder<unknown>;
}

const AT_TIME: ToCondition = (time) => sql<SqlBool>`source.sort_time = ${time}`;
const AT_ID: ToCondition = (_, id) => sql<SqlBool>`source.id = ${id}`;

const READINGS: Readonly<Record<PostingOrder, Reading>> = {
  time: {
    readBy: sql`sort_time, id`,
    upTo: (time) => sql<SqlBool>`source.sort_time <= ${time}`,
    at: AT_TIME,
    place: sql`source.sort_time`,
    isBefore: (place) => sql<SqlBool>`source.sort_time < ${place}`,
    sortBy: sql``,
  },
  // Items of one time are listed by id, which is not backwards.
  timeDescending: {
    readBy: sql`sort_time desc, id desc`,
    upTo: (time) => sql<SqlBool>`source.sort_time >= ${time}`,
    at: AT_TIME,
    place: sql`source.sort_time`,
    isBefore: (place) => sql<SqlBool>`source.sort_time > ${place}`,
    sortBy: sql`order by source.sort_time desc, source.id`,
  },
  id: {
    readBy: sql`id`,
    upTo: (_, id) => sql<SqlBool>`source.id <= ${id}`,
    at: AT_ID,
    place: sql`source.id`,
    isBefore: (place) => sql<SqlBool>`source.id < ${place}`,
    sortBy: sql``,
  },
  idDescending: {
    readBy: sql`id desc`,
    upTo: (_, id) => sql<SqlBool>`source.id >= ${id}`,
    at: AT_ID,
    place: sql`source.id`,
    isBefore: (place) => sql<SqlBool>`source.id > ${place}`,
    sortBy: sql``,
  },
};
