import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/**
 * The resolution, in microseconds, of times more than 285 years from 1970, which are not all safe integers.
 * Every second is a multiple of it.
 */
const COARSE = 64;

/**
 * Converts a timestamp to microseconds since 1970, or a duration to microseconds, rounding down. The order of times
 * is preserved.
 */
export function toMicros(time: Pick<Timestamp, "nanos" | "seconds">): number {
  const micros = Number(time.seconds) * 1_000_000;
  const fraction = Math.floor(time.nanos / 1_000);
  const isExact = Number.isSafeInteger(micros + fraction);
  return micros + (isExact ? fraction : Math.floor(fraction / COARSE) * COARSE);
}

/** Converts microseconds since 1970 to a timestamp. */
export function microsToTimestamp(micros: number): Timestamp {
  const seconds = Math.floor(micros / 1_000_000);
  const nanos = (micros - seconds * 1_000_000) * 1_000;
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

/** Returns the column of an optional time. */
export function timeColumn(time: Timestamp | undefined): number {
  return time === undefined ? UNSET_TIME : toMicros(time);
}

/** Converts a date to microseconds since 1970. */
export function dateToMicros(date: Date): number {
  return date.getTime() * 1_000;
}

/** Converts microseconds since 1970 to a date, rounding down to milliseconds. */
export function microsToDate(micros: number): Date {
  return new Date(Math.floor(micros / 1_000));
}

/** The column of an unset time or offset, which sorts it last. */
export const UNSET_TIME = 9_000_000_000_000_000_000;
