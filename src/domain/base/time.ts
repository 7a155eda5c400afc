/** The last second of the year 9999, the maximum of a timestamp. */
export const LAST_SECOND = 253_402_300_799n;

/** A `google.protobuf.Timestamp` or `Duration`. */
export interface TimeParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

/** A duration of nothing. */
export const ZERO_TIME: TimeParts = { seconds: 0n, nanos: 0 };

/** Compares two timestamps or two durations: negative, zero or positive. */
export function compareTimes(left: TimeParts, right: TimeParts): number {
  if (left.seconds !== right.seconds) return left.seconds < right.seconds ? -1 : 1;
  return left.nanos - right.nanos;
}
