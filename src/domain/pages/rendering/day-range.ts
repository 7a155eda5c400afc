import { blameField, checkField } from "../../base/field-errors.ts";
import { clip } from "../../base/text.ts";
import { composeFilter, parseKql } from "../../kql/index.ts";
import type { ItemListing } from "./listing.ts";

/** A span of time, its end exclusive. */
interface TimeRange {
  readonly start: Date;
  readonly end: Date;
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

/** An upper bound of all UTC offsets, past ones included. */
const FARTHEST = 16 * HOUR;

/** The latest time that filters support. */
const LAST_MOMENT = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Returns the start and end of a day in an IANA time zone; empty is UTC. A day has 23 or 25 hours at a clock change,
 * starts later if the change skips its midnight, and is empty if it was skipped altogether. INVALID_ARGUMENT
 * `TIME_ZONE_UNKNOWN`, or `DAY_INVALID` unless `day` is a date such as `2026-06-11` of the years 1 to 9999.
 */
export function toDayRange(day: string, timeZone: string): TimeRange {
  const offsetAt = readTimeZone(timeZone);
  const midnight = parseDay(day);
  const start = findStart(midnight, offsetAt);
  const end = Math.min(findStart(midnight + DAY, offsetAt), LAST_MOMENT);
  return { start: new Date(start), end: new Date(end) };
}

/**
 * Narrows a calendar to the events that start on a day in a time zone; an empty day changes nothing.
 * INVALID_ARGUMENT:
 * - `DAY_INVALID`: the date is malformed, or a component other than a calendar gets a day or zone.
 * - `TIME_ZONE_UNKNOWN`: the zone does not exist.
 * - `KQL_LIMIT`: the day makes the filter too large.
 */
export function narrowToDay(listing: ItemListing, day: string, timeZone: string): ItemListing {
  if (day === "" && timeZone === "") return listing;
  const field = day === "" ? "time_zone" : "day";
  checkField(listing.isCalendar, field, "DAY_INVALID", "is allowed only for a calendar");
  if (day === "") {
    readTimeZone(timeZone);
    return listing;
  }
  const { start, end } = toDayRange(day, timeZone);
  const range = `start_time >= "${start.toISOString()}" AND start_time < "${end.toISOString()}"`;
  const { filter } = blameField("day", () =>
    composeFilter({ filter: listing.filter, clauses: { day: range }, session: { day } }),
  );
  return { ...listing, filter, node: parseKql(filter) };
}

/** Returns the UTC offset of a zone at a time, both in milliseconds. */
type OffsetAt = (time: number) => number;

/**
 * Looks up a zone in the platform's time zone database. A fixed offset such as `+02:00` is rejected, because a day
 * depends on daylight saving time. INVALID_ARGUMENT `TIME_ZONE_UNKNOWN`.
 */
function readTimeZone(timeZone: string): OffsetAt {
  const name = timeZone === "" ? "UTC" : timeZone;
  const format = /^[A-Za-z]/.test(name) ? openZone(name) : undefined;
  const description = `'${clip(timeZone)}' must be an IANA time zone such as Europe/Berlin`;
  checkField(format !== undefined, "time_zone", "TIME_ZONE_UNKNOWN", description);
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
  const isDay = exists && !day.startsWith("0000");
  checkField(isDay, "day", "DAY_INVALID", `'${clip(day)}' must be a date such as 2026-06-11`);
  return midnight;
}

/** Finds the first time whose local time is `midnight` or later; local times are written as if in UTC. */
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
