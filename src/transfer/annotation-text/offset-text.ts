import { create } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";

// An offset in a CSV cell or a note, and a timestamp in a cue:
//
//   offset    = [ hours ":" ] two ":" two [ "." fraction ] | seconds [ "." fraction ] [ "s" ] ;
//   timestamp = [ digit digit { digit } ":" ] two ":" two "." digit digit digit ;
//   two       = two digits, 00 to 59 ;
//   fraction  = one to nine digits ;

const OFFSET_CLOCK = /^(?:(\d{1,9}):)?([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?$/;
const OFFSET_SECONDS = /^(\d{1,12})(?:\.(\d{1,9}))?s?$/;
const TIMESTAMP = /^(?:(\d{2,9}):)?([0-5]\d):([0-5]\d)\.(\d{3})$/;

const SECOND = 1_000_000_000n;
const MAX_SECONDS = 315_576_000_000n;

/** A millisecond in nanoseconds. */
export const MILLISECOND = 1_000_000n;

/** Parses an offset, exact to the nanosecond; undefined if invalid or longer than 10,000 years. */
export function parseOffset(text: string): Duration | undefined {
  const [, seconds, fraction] = OFFSET_SECONDS.exec(text) ?? [];
  const nanos =
    seconds === undefined ? readClock(OFFSET_CLOCK, text) : sum("0", "0", seconds, fraction);
  if (nanos === undefined || nanos / SECOND > MAX_SECONDS) return undefined;
  return create(DurationSchema, { seconds: nanos / SECOND, nanos: Number(nanos % SECOND) });
}

/** Writes an offset as `hh:mm:ss.mmm`, with up to nine decimals where needed. */
export function printOffset(offset: Duration): string {
  const nanos = toNanos(offset);
  return (
    printTimestamp(nanos) +
    String(nanos % MILLISECOND)
      .padStart(6, "0")
      .replace(/0+$/, "")
  );
}

/** Parses the timestamp of a cue into nanoseconds; undefined if invalid. */
export function parseTimestamp(text: string): bigint | undefined {
  return readClock(TIMESTAMP, text);
}

/** Writes nanoseconds as the timestamp of a cue, truncated to milliseconds. */
export function printTimestamp(nanos: bigint): string {
  const seconds = nanos / SECOND;
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n];
  const millis = String((nanos % SECOND) / MILLISECOND).padStart(3, "0");
  return `${clock.map((it) => String(it).padStart(2, "0")).join(":")}.${millis}`;
}

/** Converts a duration to nanoseconds. */
export function toNanos({ seconds, nanos }: Duration): bigint {
  return seconds * SECOND + BigInt(nanos);
}

function readClock(form: RegExp, text: string): bigint | undefined {
  const [, hours = "0", minutes, seconds, fraction] = form.exec(text) ?? [];
  if (minutes === undefined || seconds === undefined) return undefined;
  return sum(hours, minutes, seconds, fraction);
}

function sum(hours: string, minutes: string, seconds: string, fraction = ""): bigint {
  const whole = BigInt(hours) * 3600n + BigInt(minutes) * 60n + BigInt(seconds);
  return whole * SECOND + BigInt(fraction.padEnd(9, "0"));
}
