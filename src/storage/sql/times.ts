import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** Turns a timestamp into microseconds since 1970; what is finer is cut off. */
export function toMicros(time: Timestamp): number {
  return Number(time.seconds) * 1_000_000 + Math.floor(time.nanos / 1_000);
}

/** Turns microseconds since 1970 into a timestamp. */
export function microsToTimestamp(micros: number): Timestamp {
  const seconds = Math.floor(micros / 1_000_000);
  const nanos = (micros - seconds * 1_000_000) * 1_000;
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos });
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
