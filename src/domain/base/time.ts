/** The last second of the year 9999, the maximum of a timestamp. */
export const LAST_SECOND = 253_402_300_799n;

/** A `google.protobuf.Timestamp` or `Duration`. */
export interface TimeParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** Returns a timestamp as a time in milliseconds, rounded down: a boundary after it is not reached yet. */
export function toDate({ seconds, nanos }: TimeParts): Date {
  return new Date(Number(seconds) * 1_000 + Math.floor(nanos / 1_000_000));
}

/** A duration of nothing. */
export const ZERO_TIME: TimeParts = { seconds: 0n, nanos: 0 };

/** Compares two timestamps or two durations: negative, zero or positive. */
export function compareTimes(left: TimeParts, right: TimeParts): number {
  if (left.seconds !== right.seconds) return left.seconds < right.seconds ? -1 : 1;
  return left.nanos - right.nanos;
}

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
