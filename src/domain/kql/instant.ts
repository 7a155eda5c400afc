declare const instantBrand: unique symbol;

/**
 * A point in time as canonical UTC text without zone, `2026-06-11T18:00:00` or
 * `2026-06-11T18:00:00.25`: any fraction is exact, and the order of the texts is the order in time,
 * so an index may hold it as text. Years 0000 to 9999.
 */
export type Instant = string & { readonly [instantBrand]: "Instant" };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const NOW = /^now(?:([+-])(\d+)([smhdw]))?(\/d)?$/;

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

const FIRST_MILLIS = Date.parse("0000-01-01T00:00:00Z");
const LAST_MILLIS = Date.parse("9999-12-31T23:59:59.999Z");

/** Parses an RFC 3339 timestamp with its zone, a leap second too; undefined for anything else. */
export function parseInstant(text: string): Instant | undefined {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, day = "", hour, minute, second, fraction = "", sign, zoneHour = 0, zoneMinute = 0] =
    match;
  const midnight = parseDay(day);
  if (midnight === undefined) return undefined;
  const clock = [hour, minute, second, zoneHour, zoneMinute].map(Number);
  const [h = 0, m = 0, s = 0, zh = 0, zm = 0] = clock;
  if (h > 23 || m > 59 || s > 60 || zh > 23 || zm > 59) return undefined;
  const zone = (zh * HOUR + zm * MINUTE) * (sign === "-" ? -1 : 1);
  const millis = midnight + h * HOUR + m * MINUTE + s * SECOND - zone;
  if (s === 60 && millis % DAY !== 0) return undefined;
  if (millis < FIRST_MILLIS || millis > LAST_MILLIS) return undefined;
  return toInstant(millis, fraction);
}

/**
 * Reads the bound of a range as a point in time: a timestamp, a date (its first moment in UTC), or
 * `now` with one offset such as `+7d` or `-2h` and `/d` to round down to the day. `now` is in Unix
 * milliseconds; without it no `now` has a meaning. Past the years 0000 to 9999 it stops at the edge.
 */
export function parseInstantBound(text: string, now: number | undefined): Instant | undefined {
  if (DATE.test(text)) {
    const midnight = parseDay(text);
    return midnight === undefined ? undefined : toInstant(midnight, "");
  }
  return isNowExpression(text) ? resolveNow(text, now) : parseInstant(text);
}

/** Tells whether a bound is read from the clock: `now`, `now+7d`, `now-2h/d`. */
export function isNowExpression(text: string): boolean {
  return NOW.test(text);
}

function resolveNow(text: string, now: number | undefined): Instant | undefined {
  if (now === undefined || !Number.isFinite(now)) return undefined;
  const [, sign, count = 0, unit = "", rounding] = NOW.exec(text) ?? [];
  const shift = Number(count) * (UNITS[unit] ?? 0) * (sign === "-" ? -1 : 1);
  const shifted = Math.min(LAST_MILLIS, Math.max(FIRST_MILLIS, Math.floor(now) + shift));
  const millis = rounding === undefined ? shifted : Math.floor(shifted / DAY) * DAY;
  const fraction = String(((millis % SECOND) + SECOND) % SECOND).padStart(3, "0");
  return toInstant(millis, fraction);
}

function parseDay(text: string): number | undefined {
  const midnight = Date.parse(`${text}T00:00:00Z`);
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
  return exists ? midnight : undefined;
}

function toInstant(millis: number, fraction: string): Instant {
  const seconds = new Date(millis).toISOString().slice(0, "0000-00-00T00:00:00".length);
  const digits = fraction.replace(/0+$/, "");
  return (digits === "" ? seconds : `${seconds}.${digits}`) as Instant;
}
