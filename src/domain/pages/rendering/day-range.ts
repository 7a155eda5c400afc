import { invalidField } from "../../errors.ts";

/** A span of time: from its first moment to the first moment behind it. */
export interface TimeRange {
  readonly start: Date;
  readonly end: Date;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** No zone is or was further from UTC than this. */
const FARTHEST = 16 * HOUR;

/** Filters know no later time. */
const LAST_MOMENT = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Finds when a day begins and ends in an IANA time zone; empty is UTC. A day has 23 or 25 hours where
 * clocks are changed, begins later where its midnight is left out, and is empty where all of it is.
 * INVALID_ARGUMENT `DAY_INVALID` for what is no date `2026-06-11` of the years 1 to 9999,
 * `TIME_ZONE_UNKNOWN` for what is no time zone.
 */
export function toDayRange(day: string, timeZone: string): TimeRange {
  const offsetAt = readTimeZone(timeZone);
  const midnight = parseDay(day);
  const start = findStart(midnight, offsetAt);
  const end = Math.min(findStart(midnight + DAY, offsetAt), LAST_MOMENT);
  return { start: new Date(start), end: new Date(end) };
}

/** Tells how far a zone's clocks are ahead of UTC at a time, both in milliseconds. */
type OffsetAt = (time: number) => number;

/**
 * Reads a zone from the platform's tables. A number such as `+02:00` is none: it has no summer time,
 * which a day depends on. INVALID_ARGUMENT `TIME_ZONE_UNKNOWN`.
 */
export function readTimeZone(timeZone: string): OffsetAt {
  const name = timeZone === "" ? "UTC" : timeZone;
  const format = /^[A-Za-z]/.test(name) ? openZone(name) : undefined;
  if (format === undefined) {
    throw invalidField("time_zone", "TIME_ZONE_UNKNOWN", "it is no IANA time zone");
  }
  return (time) => {
    const parts = format.formatToParts(time);
    const offset = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(offset) ?? [];
    const size = Number(hours) * HOUR + Number(minutes) * 60 * SECOND + Number(seconds) * SECOND;
    return sign === "-" ? -size : size;
  };
}

function openZone(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}

function parseDay(day: string): number {
  const midnight = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const exists = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
  if (!exists || day.startsWith("0000")) {
    throw invalidField("day", "DAY_INVALID", "it is no date such as 2026-06-11");
  }
  return midnight;
}

/** Finds the first moment whose local time is `midnight` or later; local times are given as if UTC. */
function findStart(midnight: number, offsetAt: OffsetAt): number {
  const offsets = [offsetAt(midnight - FARTHEST), offsetAt(midnight + FARTHEST)];
  const toLocal = (time: number) => time + offsetAt(time);
  const candidates = offsets.map((offset) => midnight - offset).sort((a, b) => a - b);
  const exact = candidates.find((time) => toLocal(time) === midnight);
  if (exact !== undefined) return exact;
  let [before = midnight, after = midnight] = candidates;
  while (after - before > SECOND) {
    const middle = Math.floor((before + after) / 2 / SECOND) * SECOND;
    if (toLocal(middle) < midnight) before = middle;
    else after = middle;
  }
  return after;
}
