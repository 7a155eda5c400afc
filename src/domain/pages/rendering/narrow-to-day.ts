import { blameField, invalidField } from "../../errors.ts";
import { composeFilter } from "../../kql/index.ts";
import { readTimeZone, toDayRange } from "./day-range.ts";
import type { ItemListing } from "./listing.ts";

/**
 * Narrows a calendar to the events that start on a day in a time zone; an empty day leaves it as it is.
 * INVALID_ARGUMENT `DAY_INVALID` for what is no date, and for a day or a zone where no calendar is;
 * `TIME_ZONE_UNKNOWN`; `KQL_LIMIT` for a filter that the day makes too large.
 */
export function narrowToDay(listing: ItemListing, day: string, timeZone: string): ItemListing {
  if (day === "" && timeZone === "") return listing;
  if (!listing.isCalendar) {
    const field = day === "" ? "time_zone" : "day";
    throw invalidField(field, "DAY_INVALID", "the component is no calendar");
  }
  if (day === "") {
    readTimeZone(timeZone);
    return listing;
  }
  const { start, end } = toDayRange(day, timeZone);
  const range = `start_time >= "${start.toISOString()}" AND start_time < "${end.toISOString()}"`;
  const { filter } = blameField("day", () =>
    composeFilter({ filter: listing.filter, clauses: { day: range }, session: { day } }),
  );
  return { ...listing, filter };
}
