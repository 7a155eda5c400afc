import { expect, test } from "vitest";
import { matchKql, parseKql } from "../../../../src/domain/kql/index.ts";
import { narrowToDay, toDayRange } from "../../../../src/domain/pages/rendering/day-range.ts";
import type { ItemListing } from "../../../../src/domain/pages/rendering/listing.ts";
import { openCases } from "../../../harness/cases.ts";
import { rejection } from "../../../harness/rejection.ts";

const each = openCases("pages/rendering/day-range");

const HOUR = 3_600_000;

each<[string, string, string, string, number]>(
  "a day begins and ends where its zone says",
  (_why, day, zone, start, hours) => {
    const range = toDayRange(day, zone);
    const length = range.end.getTime() - range.start.getTime();
    expect([range.start.toISOString(), length / HOUR]).toEqual([start, hours]);
  },
);

test("the last day ends where filters end", () => {
  expect(toDayRange("9999-12-31", "").end.toISOString()).toBe("9999-12-31T23:59:59.999Z");
});

test.each(["Europe/Berlin", "America/Sao_Paulo", "Africa/Casablanca", "Australia/Lord_Howe"])(
  "days follow each other without a gap or an overlap: %s",
  (zone) => {
    let end: number | undefined;
    for (let day = Date.UTC(2017, 0, 1); day < Date.UTC(2020, 0, 1); day += 24 * HOUR) {
      const range = toDayRange(new Date(day).toISOString().slice(0, 10), zone);
      if (end !== undefined) expect(range.start.getTime()).toBe(end);
      end = range.end.getTime();
    }
  },
);

each<[string]>("an invalid day is rejected", (day) => {
  expect(() => toDayRange(day, "")).toThrow(rejection("DAY_INVALID", "day"));
});

each<[string]>("an invalid zone is rejected", (zone) => {
  expect(() => toDayRange("2026-06-11", zone)).toThrow(rejection("TIME_ZONE_UNKNOWN", "time_zone"));
});

const CALENDAR: ItemListing = {
  ...{ kind: "event", filter: "", node: parseKql(""), search: "", words: [], pinned: [] },
  ...{ order: "start_time asc", limit: 0, excludeGeoblocked: false, isCalendar: true },
  hidden: false,
};
const DAY = "2026-06-11";
const RANGE =
  'start_time >= "2026-06-10T22:00:00.000Z" AND start_time < "2026-06-11T22:00:00.000Z"';

test.each([
  ["", RANGE],
  ["a: 1", `a: 1 AND ${RANGE}`],
  ["a: 1 or b: 2", `(a: 1 or b: 2) AND ${RANGE}`],
  ["(a: 1 or b: 2)", `(a: 1 or b: 2) AND ${RANGE}`],
  ["a: not", `(a: not) AND ${RANGE}`],
])("a calendar's day is joined to its filter '%s'", (filter, want) => {
  const listing = { ...CALENDAR, filter };
  const got = narrowToDay(listing, DAY, "Europe/Berlin");
  expect(got).toEqual({ ...listing, filter: want, node: parseKql(want) });
});

test("a calendar's day holds from its first moment to the last before the next", () => {
  const node = parseKql(narrowToDay(CALENDAR, DAY, "").filter);
  const matches = (start_time: string) => matchKql(node, { start_time });
  const [first, last] = ["2026-06-11T00:00:00Z", "2026-06-11T23:59:59.999999Z"];
  const times = ["2026-06-10T23:59:59.999Z", first, last, "2026-06-12T00:00:00Z"];
  expect(times.map(matches)).toEqual([false, true, true, false]);
  expect(matchKql(node, {})).toBe(false);
});

test("no day leaves a calendar as it is", () => {
  expect(narrowToDay(CALENDAR, "", "")).toBe(CALENDAR);
  expect(narrowToDay(CALENDAR, "", "Europe/Berlin")).toBe(CALENDAR);
});

const RAIL = { ...CALENDAR, isCalendar: false };
const FULL = { ...CALENDAR, filter: `a: ${"x".repeat(8_192 - 3)}` };

test.each<[string, ItemListing, string, string, string, string]>([
  ["a day of a rail", RAIL, DAY, "", "day", "DAY_INVALID"],
  ["a zone of a rail", RAIL, "", "UTC", "time_zone", "DAY_INVALID"],
  ["both of a rail", RAIL, DAY, "UTC", "day", "DAY_INVALID"],
  ["an unknown zone", CALENDAR, "", "Mars/Base", "time_zone", "TIME_ZONE_UNKNOWN"],
  ["a day of a filter at the limit", FULL, DAY, "", "day", "KQL_LIMIT"],
])("a listing is not narrowed: %s", (_name, listing, day, zone, field, reason) => {
  const metadata = expect.objectContaining({ field });
  expect(() => narrowToDay(listing, day, zone)).toThrow(rejection(reason, undefined, { metadata }));
});
