import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/**
 * How many microseconds are told apart where not each is an exact number, more than 285 years off. Every
 * second is a multiple of it.
 */
const COARSE = 64;

/**
 * Turns a timestamp into microseconds since 1970, or a duration into microseconds; what is finer is cut
 * off. Of two times the later one never has the smaller number.
 */
export function toMicros(time: Pick<Timestamp, "nanos" | "seconds">): number {
  const micros = Number(time.seconds) * 1_000_000;
  const fraction = Math.floor(time.nanos / 1_000);
  const isExact = Number.isSafeInteger(micros + fraction);
  return micros + (isExact ? fraction : Math.floor(fraction / COARSE) * COARSE);
}

/** Turns microseconds since 1970 into a timestamp. */
export function microsToTimestamp(micros: number): Timestamp {
  const seconds = Math.floor(micros / 1_000_000);
  const nanos = (micros - seconds * 1_000_000) * 1_000;
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
}

/** Makes the column of a time that may not be set. */
export function timeColumn(time: Timestamp | undefined): number {
  return time === undefined ? UNSET_TIME : toMicros(time);
}

/** Turns a date into microseconds since 1970. */
export function dateToMicros(date: Date): number {
  return date.getTime() * 1_000;
}

/** Turns microseconds since 1970 into a date; what is finer than a millisecond is cut off. */
export function microsToDate(micros: number): Date {
  return new Date(Math.floor(micros / 1_000));
}

/** Stands for a time or an offset that is not set, in columns that order: after every other. */
export const UNSET_TIME = 9_000_000_000_000_000_000;
