import { describe, expect, test } from "vitest";
import { toDayRange } from "../../../../src/domain/pages/rendering/day-range.ts";

const HOUR = 3_600_000;

describe("a day begins and ends where its zone says", () => {
  const cases: readonly (readonly [day: string, zone: string, start: string, hours: number])[] = [
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
  ];
  for (const [day, zone, start, hours] of cases) {
    test(`${day} in ${zone || "no zone"}`, () => {
      const range = toDayRange(day, zone);
      const length = range.end.getTime() - range.start.getTime();
      expect([range.start.toISOString(), length / HOUR]).toEqual([start, hours]);
    });
  }

  test("the last day ends where filters end", () => {
    expect(toDayRange("9999-12-31", "").end.toISOString()).toBe("9999-12-31T23:59:59.999Z");
  });
});

describe("days follow each other without a gap or an overlap", () => {
  const zones = ["Europe/Berlin", "America/Sao_Paulo", "Africa/Casablanca", "Australia/Lord_Howe"];
  for (const zone of zones) {
    test(zone, () => {
      let end: number | undefined;
      for (let day = Date.UTC(2017, 0, 1); day < Date.UTC(2020, 0, 1); day += 24 * HOUR) {
        const range = toDayRange(new Date(day).toISOString().slice(0, 10), zone);
        if (end !== undefined) expect(range.start.getTime()).toBe(end);
        end = range.end.getTime();
      }
    });
  }
});

describe("an invalid day or zone is refused", () => {
  const days = ["2026-02-29", "2026-13-01", "2026-6-1", "0000-01-01", "today", "2026-06-11T00:00Z"];
  for (const day of [...days, " 2026-06-11", "2026-06-31", "+010000-01-01", "-00001-01-01"]) {
    test(`the day '${day}'`, () => {
      expect(() => toDayRange(day, "")).toThrow(
        expect.objectContaining({ reason: "DAY_INVALID", metadata: { field: "day" } }),
      );
    });
  }

  for (const zone of [
    "Mars/Base",
    "+02:00",
    "-0200",
    "Europe",
    "Europe/Berlin ",
    "GMT+2",
    "\u0000",
  ]) {
    test(`the zone '${zone}'`, () => {
      expect(() => toDayRange("2026-06-11", zone)).toThrow(
        expect.objectContaining({ reason: "TIME_ZONE_UNKNOWN", metadata: { field: "time_zone" } }),
      );
    });
  }
});
