import { trimEnd } from "../base/text.ts";
import { ALWAYS, type Period } from "../base/time.ts";

declare const instantBrand: unique symbol;

/**
 * A point in time as canonical UTC text without zone, `2026-06-11T18:00:00` or `2026-06-11T18:00:00.25`. Fractions
 * are exact and text order is time order, so an index may store the text. Years 0000 to 9999.
 */
export type Instant = string & { readonly [instantBrand]: "Instant" };

/** The most common form, read without the cost of the general one. */
const WHOLE_SECONDS = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const SHORTEST = "2026-06-11T18:00:00Z".length;
const HYPHEN = 0x2d;
const ZERO = 0x30;
const NOW = /^now(?:([+-])(\d+)([smhdw]))?(\/d)?$/;

/** Texts that look like date math, in the forms of other products too: `now-1y`, `now/w`, `NOW`, `2026-01-01||+1M`. */
const DATE_MATH =
  /^(?:now\s*(?:$|\/|[+-]\s*(?:\d|[a-z]?(?:\/|$)))|(?:now|\d{4}-\d{2}(?:-\d{2}(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?)?)\|\|)/i;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = {
  s: SECOND,
  m: MINUTE,
  h: HOUR,
  d: DAY,
  w: 7 * DAY,
};

/** Days of each month in a common year. */
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const FIRST_MILLIS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MILLIS = Date.parse("9999-12-31T23:59:59.999Z");

/** Parses an RFC 3339 timestamp with its zone, leap seconds included; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  // Called for every string of every document, and few are timestamps.
  if (text.length < SHORTEST || text.charCodeAt(4) !== HYPHEN) return undefined;
  if (text.length === SHORTEST && WHOLE_SECONDS.test(text)) {
    return isDay(text) ? (text.slice(0, -1) as Instant) : undefined;
  }
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day = "", hour, minute, second, fraction = "", sign, zoneHour = 0, zoneMinute = 0] =
    match;
  if (!isDay(day)) return undefined;
  const clock = [hour, minute, second, zoneHour, zoneMinute].map(Number);
  const [h = 0, m = 0, s = 0, zh = 0, zm = 0] = clock;
  if (h > 23 || m > 59 || s > 60 || zh > 23 || zm > 59) return undefined;
  if (s < 60 && sign === undefined) return toText(`${day}T${hour}:${minute}:${second}`, fraction);
  const zone = (zh * HOUR + zm * MINUTE) * (sign === "-" ? -1 : 1);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const millis = midnight + h * HOUR + m * MINUTE + s * SECOND - zone;
  if (s === 60 && millis % DAY !== 0) return undefined;
  if (millis < FIRST_MILLIS || millis > LAST_MILLIS) return undefined;
  return toInstant(millis, fraction);
}

/**
 * Parses the bound of a range as a point in time:
 * - a timestamp,
 * - a date: its first moment in UTC,
 * - `now`, optionally with an offset such as `+7d` or `-2h` and with `/d` to round down to the day.
 *
 * `now` is in Unix milliseconds; without it, `now` expressions are undefined. Results are clamped to the years 0000
 * to 9999.
 */
export function parseInstantBound(text: string, now: number | undefined): Instant | undefined {
  if (DATE.test(text)) {
    return isDay(text) ? toText(`${text}T00:00:00`, "") : undefined;
  }
  return isNowExpression(text) ? resolveNow(text, now) : parseInstant(text);
}

/** Reports whether a bound depends on the clock: `now`, `now+7d`, `now-2h/d`. */
export function isNowExpression(text: string): boolean {
  return NOW.test(text);
}

/** Reports whether a bound looks like date math but is none that {@link isNowExpression} knows. */
export function isUnknownDateMath(text: string): boolean {
  return DATE_MATH.test(text) && !isNowExpression(text);
}

/** A clock-dependent bound: `shift` milliseconds added, then rounded down to multiples of `unit`. */
export interface ClockReading {
  readonly shift: number;
  readonly unit: number;
}

/** Parses a bound that depends on the clock; undefined for any other. */
export function parseClockReading(text: string): ClockReading | undefined {
  const match = NOW.exec(text);
  if (match === null) return undefined;
  const [, sign, count = 0, unit = "", rounding] = match;
  const shift = Number(count) * (UNITS[unit] ?? 0) * (sign === "-" ? -1 : 1);
  return { shift, unit: rounding === undefined ? 1 : DAY };
}

function resolveNow(text: string, now: number | undefined): Instant | undefined {
  const reading = parseClockReading(text);
  if (reading === undefined || now === undefined || !Number.isFinite(now)) return undefined;
  const { shift, unit } = reading;
  const shifted = Math.min(LAST_MILLIS, Math.max(FIRST_MILLIS, Math.floor(now) + shift));
  const millis = Math.floor(shifted / unit) * unit;
  const fraction = String(((millis % SECOND) + SECOND) % SECOND).padStart(3, "0");
  return toInstant(millis, fraction);
}

/** Reports whether a text begins with a day of the calendar; it has the digits of a date. */
function isDay(text: string): boolean {
  const [year, month, day] = [
    readDigits(text, 0, 4),
    readDigits(text, 5, 7),
    readDigits(text, 8, 10),
  ];
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && isLeapYear ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= last;
}

function readDigits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = number * 10 + text.charCodeAt(at) - ZERO;
  return number;
}

function toInstant(millis: number, fraction: string): Instant {
  return toText(new Date(millis).toISOString().slice(0, "0000-00-00T00:00:00".length), fraction);
}

function toText(seconds: string, fraction: string): Instant {
  const digits = trimEnd(fraction, "0");
  return (digits === "" ? seconds : `${seconds}.${digits}`) as Instant;
}

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
