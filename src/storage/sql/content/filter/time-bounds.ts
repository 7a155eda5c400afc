import { type Expression, type SqlBool, sql } from "kysely";
import { type Instant, type KqlNode, parseRangeBound } from "../../../../domain/kql/index.ts";
import { toMicros, UNSET_TIME } from "../../times.ts";
import type { Condition } from "./conditions.ts";
import type { Bound } from "./form-values.ts";

/** A range of times, both ends inclusive, in microseconds since 1970 or as what is bound for them. */
export interface TimeBounds<T extends Bound = number> {
  readonly from?: T;
  readonly to?: T;
}

/**
 * Rounds instants outwards to the precision of a column, so that rows within the bounds must still be tested.
 * The lower bound is a whole second: columns written by earlier versions hold no more past the year 2255.
 */
export function toTimeBounds(from: Instant | undefined, to: Instant | undefined): TimeBounds {
  return {
    ...(from !== undefined && { from: toMicros(readInstant(from, 0)) }),
    ...(to !== undefined && { to: toMicros(readInstant(to)) }),
  };
}

/** Finds the bounds that a filter sets to a field; undefined if it sets none. `now` is in Unix milliseconds. */
export function findTimeBounds(
  filter: KqlNode,
  field: string,
  now: number,
): TimeBounds | undefined {
  let [from, to]: [Instant | undefined, Instant | undefined] = [undefined, undefined];
  for (const clause of listClauses(filter)) {
    if (clause.type !== "range" || clause.name.kind !== "exact") continue;
    if (clause.name.path !== field) continue;
    const bound = parseRangeBound(clause.value, now);
    const instant = bound.kind === "instant" || bound.kind === "text" ? bound.instant : undefined;
    if (instant === undefined) continue;
    const isLower = clause.operator === "gt" || clause.operator === "gte";
    if (isLower && (from === undefined || instant > from)) from = instant;
    if (!isLower && (to === undefined || instant < to)) to = instant;
  }
  return from === undefined && to === undefined ? undefined : toTimeBounds(from, to);
}

function listClauses(filter: KqlNode): readonly KqlNode[] {
  return filter.type === "and" ? filter.items.flatMap(listClauses) : [filter];
}

function readInstant(instant: Instant, digits = 9) {
  const [time, fraction = ""] = instant.split(".");
  return {
    seconds: BigInt(Date.parse(`${time}Z`) / 1_000),
    nanos: Number(fraction.slice(0, digits).padEnd(9, "0")),
  };
}

/** Holds for rows whose time lies within the bounds; an unset time lies within none. */
export function isWithin(
  column: Expression<unknown>,
  bounds: TimeBounds<Bound> | undefined,
): readonly Condition[] {
  if (bounds === undefined) return [];
  const { from, to } = bounds;
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${column} >= ${from}`]),
    to === undefined
      ? sql<SqlBool>`${column} < ${sql.lit(UNSET_TIME)}`
      : sql<SqlBool>`${column} <= ${to}`,
  ];
}
