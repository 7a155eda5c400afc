import {
  type Instant,
  type KqlNode,
  type KqlRangeOperator,
  parseRangeBound,
} from "../../../../domain/kql/index.ts";
import { type Condition, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { toMicros, UNSET_TIME } from "../../../db/times.ts";

/** A range of times, both ends inclusive, in microseconds since 1970. */
export interface TimeBounds {
  readonly from?: number;
  readonly to?: number;
}

/**
 * Rounds instants outwards to the precision of a column, so that rows within the bounds must still be tested. The
 * lower bound is a whole second, because columns written by earlier versions are no more precise past the year 2255.
 */
export function toTimeBounds(from: Instant | undefined, to: Instant | undefined): TimeBounds {
  return {
    ...(from !== undefined && { from: toMicros(readInstant(from, 0)) }),
    ...(to !== undefined && { to: toMicros(readInstant(to)) }),
  };
}

function readInstant(instant: Instant, digits = 9) {
  const [time, fraction = ""] = instant.split(".");
  return {
    seconds: BigInt(Date.parse(`${time}Z`) / 1_000),
    nanos: Number(fraction.slice(0, digits).padEnd(9, "0")),
  };
}

/** Reports whether a comparison sets a lower bound. */
export function isLowerBound(operator: KqlRangeOperator): boolean {
  return operator === "gt" || operator === "gte";
}

/**
 * Finds the bounds that clauses joined by AND set on a field; undefined if none does. `now` is in Unix milliseconds.
 */
export function findTimeBounds(
  clauses: readonly KqlNode[],
  field: string,
  now: number | undefined,
): TimeBounds | undefined {
  let [from, to]: [Instant | undefined, Instant | undefined] = [undefined, undefined];
  for (const clause of clauses) {
    if (clause.type !== "range" || clause.name.kind !== "exact") continue;
    if (clause.name.path !== field) continue;
    const bound = parseRangeBound(clause.value, now);
    const instant = bound.kind === "instant" || bound.kind === "text" ? bound.instant : undefined;
    if (instant === undefined) continue;
    const isLower = isLowerBound(clause.operator);
    if (isLower && (from === undefined || instant > from)) from = instant;
    if (!isLower && (to === undefined || instant < to)) to = instant;
  }
  return from === undefined && to === undefined ? undefined : toTimeBounds(from, to);
}

/** True for rows with a time within the bounds; an unset time is outside any. */
export function isWithin(column: SqlText, bounds: TimeBounds | undefined): readonly Condition[] {
  if (bounds === undefined) return [];
  const { from, to } = bounds;
  return [
    ...(from === undefined ? [] : [sql`${column} >= ${from}`]),
    to === undefined ? sql`${column} < ${raw(`${UNSET_TIME}`)}` : sql`${column} <= ${to}`,
  ];
}
