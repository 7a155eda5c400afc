import { type Instant, type KqlNode, parseRangeBound } from "../../../../domain/kql/index.ts";
import { toMicros } from "../../times.ts";

/** Between which times items lie; both inclusive, in microseconds. */
export interface KeyBounds {
  readonly from?: number;
  readonly to?: number;
}

/**
 * Makes the bounds of a column of times; what lies inside still has to be tried, times being finer. The
 * lower one is a whole second: columns written by earlier versions hold no more past the year 2255.
 */
export function toKeyBounds(from: Instant | undefined, to: Instant | undefined): KeyBounds {
  return {
    ...(from !== undefined && { from: toMicros(readInstant(from, 0)) }),
    ...(to !== undefined && { to: toMicros(readInstant(to)) }),
  };
}

/**
 * Finds what clauses that all hold say of the time that is ordered by; undefined: nothing. `now` is in
 * Unix milliseconds.
 */
export function findKeyBounds(
  clauses: readonly KqlNode[],
  field: string,
  now: number,
): KeyBounds | undefined {
  let [from, to]: [Instant | undefined, Instant | undefined] = [undefined, undefined];
  for (const clause of clauses) {
    if (clause.type !== "range" || clause.name.kind !== "exact") continue;
    if (clause.name.path !== field) continue;
    const bound = parseRangeBound(clause.value, now);
    const instant = bound.kind === "instant" || bound.kind === "text" ? bound.instant : undefined;
    if (instant === undefined) continue;
    const isLower = clause.operator === "gt" || clause.operator === "gte";
    if (isLower && (from === undefined || instant > from)) from = instant;
    if (!isLower && (to === undefined || instant < to)) to = instant;
  }
  return from === undefined && to === undefined ? undefined : toKeyBounds(from, to);
}

function readInstant(instant: Instant, digits = 9) {
  const [time, fraction = ""] = instant.split(".");
  return {
    seconds: BigInt(Date.parse(`${time}Z`) / 1_000),
    nanos: Number(fraction.slice(0, digits).padEnd(9, "0")),
  };
}
