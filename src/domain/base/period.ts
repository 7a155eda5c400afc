/** A period of time, its end exclusive, in milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** The period without a start and an end. */
export const ALWAYS: Period = { from: -Infinity, until: Infinity };

/** Returns the intersection of two periods. */
export function intersect(one: Period, other: Period): Period {
  return { from: Math.max(one.from, other.from), until: Math.min(one.until, other.until) };
}

/** Reports whether a time lies in a period. */
export function isWithin({ from, until }: Period, time: number): boolean {
  return from <= time && time < until;
}
