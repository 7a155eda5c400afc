import { ALWAYS, type Period } from "../base/time.ts";
import type { ClockReading, Instant } from "../kql/index.ts";

/**
 * Returns a window around `now`; inside it, no comparison of an instant with a clock reading changes. Instants are in
 * Unix milliseconds, rounded up.
 */
export function findClockWindow(
  readings: readonly ClockReading[],
  instants: readonly number[],
  now: number,
): Period {
  let { from, until } = ALWAYS;
  for (const { shift, unit } of readings) {
    for (const instant of instants) {
      // The reading reaches the instant at the first of the two, and exceeds it from the second on.
      const reached = Math.ceil(instant / unit) * unit - shift;
      for (const change of [reached, reached + unit]) {
        if (change <= now) from = Math.max(from, change);
        else until = Math.min(until, change);
      }
    }
  }
  return { from, until };
}

/** Converts an instant to Unix milliseconds, rounded up. */
export function toMillis(instant: Instant): number {
  const [seconds, fraction = ""] = instant.split(".");
  const millis = Number(fraction.slice(0, 3).padEnd(3, "0"));
  return Date.parse(`${seconds}Z`) + millis + (fraction.length > 3 ? 1 : 0);
}
