import { describe, expect, test } from "vitest";
import { matchKql, parseKql } from "../../../../src/domain/kql/index.ts";
import { narrowToDay } from "../../../../src/domain/pages/rendering/day-range.ts";
import type { ItemListing } from "../../../../src/domain/pages/rendering/listing.ts";

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
  const cases: readonly (readonly [filter: string, want: string])[] = [
    ["", RANGE],
    ["a: 1", `a: 1 AND ${RANGE}`],
    ["a: 1 or b: 2", `(a: 1 or b: 2) AND ${RANGE}`],
    ["(a: 1 or b: 2)", `(a: 1 or b: 2) AND ${RANGE}`],
    ["a: not", `(a: not) AND ${RANGE}`],
  ];
  for (const [filter, want] of cases) {
    test(filter || "none", () => {
      const listing = { ...CALENDAR, filter };
      const got = narrowToDay(listing, DAY, "Europe/Berlin");
      expect(got).toEqual({ ...listing, filter: want, node: parseKql(want) });
    });
  }

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
  const cases: readonly (readonly [string, ItemListing, string, string, string, string])[] = [
    ["a day of a rail", rail, DAY, "", "day", "DAY_INVALID"],
    ["a zone of a rail", rail, "", "UTC", "time_zone", "DAY_INVALID"],
    ["both of a rail", rail, DAY, "UTC", "day", "DAY_INVALID"],
    ["an unknown zone without a day", CALENDAR, "", "Mars/Base", "time_zone", "TIME_ZONE_UNKNOWN"],
    ["a day of a filter at the limit", full, DAY, "", "day", "KQL_LIMIT"],
  ];
  for (const [name, listing, day, zone, field, reason] of cases) {
    test(name, () => {
      expect(() => narrowToDay(listing, day, zone)).toThrow(
        expect.objectContaining({ reason, metadata: expect.objectContaining({ field }) }),
      );
    });
  }
});
