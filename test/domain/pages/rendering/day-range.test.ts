import { describe, expect, test } from "vitest";
import { matchKql, parseKql } from "../../../../src/domain/kql/index.ts";
import { narrowToDay, toDayRange } from "../../../../src/domain/pages/rendering/day-range.ts";
import type { ItemListing } from "../../../../src/domain/pages/rendering/listing.ts";
import { openCases } from "../../../harness/cases.ts";
import { refusal } from "../../../harness/refusal.ts";

const each = openCases("pages/rendering/day-range");

const HOUR = 3_600_000;

describe("a day begins and ends where its zone says", () => {
  test.each<[day: string, zone: string, start: string, hours: number]>([
    ["2026-06-11", "", "2026-06-11T00:00:00.000Z", 24],
    ["2026-06-11", "UTC", "2026-06-11T00:00:00.000Z", 24],
    ["2026-06-11", "Europe/Berlin", "2026-06-10T22:00:00.000Z", 24],
    ["2026-06-11", "europe/berlin", "2026-06-10T22:00:00.000Z", 24],
    ["2026-06-11", "America/Los_Angeles", "2026-06-11T07:00:00.000Z", 24],
    ["2026-06-11", "Asia/Kathmandu", "2026-06-10T18:15:00.000Z", 24],
    ["2026-06-11", "Pacific/Kiritimati", "2026-06-10T10:00:00.000Z", 24],
    ["2026-06-11", "Etc/GMT+12", "2026-06-11T12:00:00.000Z", 24],
    ["2024-02-29", "Europe/Berlin", "2024-02-28T23:00:00.000Z", 24],
    // Clocks go forward, and back.
    ["2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00.000Z", 23],
    ["2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00.000Z", 25],
    ["2026-03-08", "America/New_York", "2026-03-08T05:00:00.000Z", 23],
    ["2026-11-01", "America/New_York", "2026-11-01T04:00:00.000Z", 25],
    ["2026-10-04", "Australia/Lord_Howe", "2026-10-03T13:30:00.000Z", 23.5],
    ["2026-04-05", "Australia/Lord_Howe", "2026-04-04T13:00:00.000Z", 24.5],
    // The clocks go forward at midnight, so the day begins at one.
    ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00.000Z", 23],
    ["2018-11-03", "America/Sao_Paulo", "2018-11-03T03:00:00.000Z", 24],
    ["2021-03-28", "Asia/Beirut", "2021-03-27T22:00:00.000Z", 23],
    // The clocks go back at midnight, so the day before has an hour twice.
    ["2019-02-16", "America/Sao_Paulo", "2019-02-16T02:00:00.000Z", 25],
    ["2019-02-17", "America/Sao_Paulo", "2019-02-17T03:00:00.000Z", 24],
    // The midnight lies twice, at the first of them it begins.
    ["2026-11-01", "America/Havana", "2026-11-01T04:00:00.000Z", 25],
    // The hour that is left out begins before midnight.
    ["1919-03-31", "America/Toronto", "1919-03-31T04:30:00.000Z", 23.5],
    ["1919-03-30", "America/Toronto", "1919-03-30T05:00:00.000Z", 23.5],
    // Samoa left this day out.
    ["2011-12-29", "Pacific/Apia", "2011-12-29T10:00:00.000Z", 24],
    ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z", 0],
    ["2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00.000Z", 24],
    // Before time zones, clocks showed the time of the sun.
    ["1960-01-01", "Africa/Monrovia", "1960-01-01T00:44:30.000Z", 24],
    ["0001-01-01", "", "0001-01-01T00:00:00.000Z", 24],
  ])("%s", (day, zone, start, hours) => {
    const range = toDayRange(day, zone);
    const length = range.end.getTime() - range.start.getTime();
    expect([range.start.toISOString(), length / HOUR]).toEqual([start, hours]);
  });

  test("the last day ends where filters end", () => {
    expect(toDayRange("9999-12-31", "").end.toISOString()).toBe("9999-12-31T23:59:59.999Z");
  });
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

describe("an invalid day or zone is refused", () => {
  const days = ["2026-02-29", "2026-13-01", "2026-6-1", "0000-01-01", "today", "2026-06-11T00:00Z"];
  test.each([...days, " 2026-06-11", "2026-06-31", "+010000-01-01", "-00001-01-01"])(
    "the day '%s'",
    (day) => {
      expect(() => toDayRange(day, "")).toThrow(refusal("DAY_INVALID", "day"));
    },
  );

  each<[string]>("an invalid zone is refused", (zone) => {
    expect(() => toDayRange("2026-06-11", zone)).toThrow(refusal("TIME_ZONE_UNKNOWN", "time_zone"));
  });
});

describe("a calendar", () => {
  const CALENDAR: ItemListing = {
    kind: "event",
    filter: "",
    node: parseKql(""),
    search: "",
    words: [],
    order: "start_time asc",
    limit: 0,
    pinned: [],
    excludeGeoblocked: false,
    isCalendar: true,
    hidden: false,
  };

  const DAY = "2026-06-11";
  const RANGE =
    'start_time >= "2026-06-10T22:00:00.000Z" AND start_time < "2026-06-11T22:00:00.000Z"';

  describe("a day is joined to the filter", () => {
    test.each<[filter: string, want: string]>([
      ["", RANGE],
      ["a: 1", `a: 1 AND ${RANGE}`],
      ["a: 1 or b: 2", `(a: 1 or b: 2) AND ${RANGE}`],
      ["(a: 1 or b: 2)", `(a: 1 or b: 2) AND ${RANGE}`],
      ["a: not", `(a: not) AND ${RANGE}`],
    ])("%s", (filter, want) => {
      const listing = { ...CALENDAR, filter };
      const got = narrowToDay(listing, DAY, "Europe/Berlin");
      expect(got).toEqual({ ...listing, filter: want, node: parseKql(want) });
    });

    test("and holds from its first moment to the last before the next day", () => {
      const node = parseKql(narrowToDay(CALENDAR, DAY, "").filter);
      const times = [
        ["2026-06-10T23:59:59.999Z", false],
        ["2026-06-11T00:00:00Z", true],
        ["2026-06-11T23:59:59.999999Z", true],
        ["2026-06-12T00:00:00Z", false],
      ] as const;
      for (const [time, want] of times) expect(matchKql(node, { start_time: time })).toBe(want);
      expect(matchKql(node, {})).toBe(false);
    });
  });

  test("no day leaves the calendar as it is", () => {
    expect(narrowToDay(CALENDAR, "", "")).toBe(CALENDAR);
    expect(narrowToDay(CALENDAR, "", "Europe/Berlin")).toBe(CALENDAR);
  });

  describe("a listing that cannot be narrowed is refused", () => {
    const rail = { ...CALENDAR, isCalendar: false };
    const full = { ...CALENDAR, filter: `a: ${"x".repeat(8_192 - 3)}` };

    test.each<[string, ItemListing, string, string, string, string]>([
      ["a day of a rail", rail, DAY, "", "day", "DAY_INVALID"],
      ["a zone of a rail", rail, "", "UTC", "time_zone", "DAY_INVALID"],
      ["both of a rail", rail, DAY, "UTC", "day", "DAY_INVALID"],
      [
        "an unknown zone without a day",
        CALENDAR,
        "",
        "Mars/Base",
        "time_zone",
        "TIME_ZONE_UNKNOWN",
      ],
      ["a day of a filter at the limit", full, DAY, "", "day", "KQL_LIMIT"],
    ])("%s", (_name, listing, day, zone, field, reason) => {
      expect(() => narrowToDay(listing, day, zone)).toThrow(
        refusal(reason, undefined, { metadata: expect.objectContaining({ field }) }),
      );
    });
  });
});
