import { type Instant, type KqlNode, parseRangeBound } from "../../../domain/kql/index.ts";

/** Between which times items lie; both inclusive, in microseconds. */
export interface KeyBounds {
  readonly from?: number;
  readonly to?: number;
}

/** How far a column may be from its time: past the year 2255 not every microsecond is a number. */
const SLACK = 64;

/** Makes the bounds of a column of times; what lies inside still has to be tried, times being finer. */
export function toKeyBounds(from: Instant | undefined, to: Instant | undefined): KeyBounds {
  return {
    ...(from !== undefined && { from: toMicros(from) - SLACK }),
    ...(to !== undefined && { to: toMicros(to) + SLACK }),
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

function toMicros(instant: Instant): number {
  const [seconds, fraction = ""] = instant.split(".");
  return Date.parse(`${seconds}Z`) * 1_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
