import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusal } from "../../harness/http.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, getPage, itemIds, listItems, readItems } from "./pages.ts";
import { createGrid, createPage, createPart, createRail } from "./small-pages.ts";

/** One event at each start; the id is the start. */
const STARTS = [
  "2026-03-28T22:59:59.999Z",
  "2026-03-28T23:00:00Z",
  "2026-03-29T00:59:59Z",
  "2026-03-29T21:59:59.999Z",
  "2026-03-29T22:00:00Z",
  "2026-06-11T00:00:00Z",
  "2026-06-11T23:59:59.999Z",
  "2026-06-12T00:00:00Z",
  "2026-10-24T21:59:59Z",
  "2026-10-24T22:00:00Z",
  "2026-10-25T00:30:00Z",
  "2026-10-25T01:30:00Z",
  "2026-10-25T22:59:59Z",
  "2026-10-25T23:00:00Z",
];

const FILTER = "fields.kind: match or fields.kind: show";
const KINDS = { additionalFilters: { kind: "fields.kind: {kind}" } };

const DATA = createSmallDataset({
  events: [
    ...STARTS.map((id, index) =>
      createEvent(id, {
        startTime: timestampFromDate(new Date(id)),
        fields: { kind: index % 2 === 0 ? "match" : "show" },
      }),
    ),
    createEvent("undated", { fields: { kind: "match" } }),
    createEvent("other", { startTime: timestampFromDate(new Date("2026-06-11T12:00:00Z")) }),
  ],
  pages: [
    createPage("page", [
      createPart("calendar", { case: "calendarV2", value: { filter: FILTER, ...KINDS } }),
      createPart("old", { case: "calendar", value: { filter: FILTER } }),
      createPart("open", { case: "calendarV2", value: {} }),
      createPart("loose", {
        case: "calendarV2",
        value: { showOnUnmatchedAdditionalFilters: true },
      }),
      createGrid("mirror", "reference", { page_component_id: "calendar" }),
      createRail("rail", {}),
    ]),
  ],
});

const marquee = await useSmallMarquee(DATA);

const between = (from: number, to: number) => STARTS.slice(from, to);

describe("a day lists the events that start on it", () => {
  const days: readonly (readonly [day: string, timeZone: string, want: readonly string[]])[] = [
    ["2026-06-11", "", between(5, 7)],
    ["2026-06-11", "UTC", between(5, 7)],
    ["2026-06-12", "UTC", between(7, 8)],
    ["2026-06-13", "UTC", []],
    ["2026-06-11", "Pacific/Auckland", between(5, 6)],
    ["2026-06-12", "Pacific/Auckland", between(6, 8)],
    ["2026-06-10", "America/New_York", between(5, 6)],
    // 23 hours, and 25.
    ["2026-03-29", "Europe/Berlin", between(1, 4)],
    ["2026-03-30", "Europe/Berlin", between(4, 5)],
    ["2026-10-25", "Europe/Berlin", between(9, 13)],
    ["2026-10-26", "Europe/Berlin", between(13, 14)],
  ];
  for (const id of ["calendar", "old", "mirror"]) {
    for (const [day, timeZone, want] of days) {
      test(`${day} ${timeZone} in ${id}`, async () => {
        for (const size of [1, 2, 100]) {
          const pages = await readItems(marquee, { id, day, timeZone }, size);
          expect(pages.flat()).toEqual(want);
        }
      });
    }
  }

  test("and its session's", async () => {
    const message = { id: "calendar", day: "2026-10-25", timeZone: "Europe/Berlin" };
    const session = { kind: "show" };
    const got = await listItems(marquee, { ...message, session });
    expect(itemIds(got.json.items)).toEqual([STARTS[9], STARTS[11]]);
  });

  test("without a day all dates are listed, by start, and a zone changes nothing", async () => {
    for (const timeZone of ["", "Europe/Berlin"]) {
      const pages = await readItems(marquee, { id: "calendar", timeZone }, 5);
      expect(pages.flat()).toEqual([...STARTS, "undated"]);
    }
    const open = await readItems(marquee, { id: "open", day: "2026-06-11" }, 2);
    expect(open.flat()).toEqual([STARTS[5], "other", STARTS[6]]);
  });
});

describe("the token of a day", () => {
  const own = { id: "calendar", day: "2026-10-25", timeZone: "Europe/Berlin", pageSize: 1 };
  for (const [name, change] of [
    ["another day", { day: "2026-10-24" }],
    ["another zone", { timeZone: "Europe/Paris" }],
    ["no zone", { timeZone: "" }],
    ["no day", { day: "" }],
    ["neither", { day: "", timeZone: "" }],
  ] as const) {
    test(`is refused for ${name}`, async () => {
      const { json } = await listItems(marquee, own);
      const message = { ...own, pageToken: json.nextPageToken };
      expect(itemIds((await listItems(marquee, message)).json.items)).toEqual([STARTS[10]]);
      expect(refusal(await listItems(marquee, { ...message, ...change }))).toEqual([
        400,
        "PAGE_TOKEN_INVALID",
      ]);
    });
  }

  test("of a page goes on without a day", async () => {
    const shown = componentsOf(
      await getPage(marquee, { slug: "page", includeItems: true, itemsPageSize: 3 }),
    ).get("old");
    expect(itemIds(shown?.items)).toEqual(between(0, 3));
    const pageToken = shown?.itemsNextPageToken;
    const got = await listItems(marquee, { id: "old", pageToken, pageSize: 2 });
    expect(itemIds(got.json.items)).toEqual(between(3, 5));
  });
});

describe("what is no day of a calendar is refused", () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ id: "calendar", day: "2026-02-29" }, "DAY_INVALID"],
    [{ id: "calendar", day: "11.06.2026" }, "DAY_INVALID"],
    [{ id: "calendar", day: '2026-06-11" OR *' }, "DAY_INVALID"],
    [{ id: "rail", day: "2026-06-11" }, "DAY_INVALID"],
    [{ id: "rail", timeZone: "UTC" }, "DAY_INVALID"],
    [{ id: "calendar", day: "2026-06-11", timeZone: "Mars/Base" }, "TIME_ZONE_UNKNOWN"],
    [{ id: "calendar", timeZone: "+02:00" }, "TIME_ZONE_UNKNOWN"],
  ];
  for (const [message, reason] of cases) {
    test(JSON.stringify(message), async () => {
      const got = await listItems(marquee, message as { id: string });
      expect(refusal(got)).toEqual([400, reason]);
    });
  }
});

describe("an unknown key of the session", () => {
  const session = { other: 1 };

  test("hides the cards of a calendar only: it stays on its page", async () => {
    const got = componentsOf(await getPage(marquee, { slug: "page", session, includeItems: true }));
    expect(got.get("calendar")).toMatchObject({ hidden: true, filter: FILTER });
    expect(got.get("calendar")?.items).toBeUndefined();
    const day = await listItems(marquee, { id: "calendar", session, day: "2026-06-11" });
    expect([day.status, day.json]).toEqual([200, {}]);
  });

  for (const id of ["old", "loose"]) {
    test(`is nothing to ${id}`, async () => {
      const got = await getPage(marquee, { slug: "page", session, includeItems: true });
      expect(componentsOf(got).get(id)?.hidden).toBeUndefined();
      expect(componentsOf(got).get(id)?.items?.length).toBeGreaterThan(0);
    });
  }
});

describe("the calendars of the demo", () => {
  let demo: Marquee;
  beforeAll(async () => {
    demo = await startMarquee();
  });
  afterAll(() => demo.close());

  test("show the final on its day where they are looked at", async () => {
    const days = [
      ["2026-07-19", "America/New_York", ["match-2026-104"]],
      ["2026-07-19", "Asia/Tokyo", []],
      ["2026-07-20", "Asia/Tokyo", ["match-2026-104"]],
    ] as const;
    for (const [day, timeZone, want] of days) {
      for (const message of [
        { id: "calendar-home" },
        { id: "calendar-team", parameters: { id: "team-esp" } },
      ]) {
        const got = await listItems(demo, { ...message, day, timeZone });
        const matches = itemIds(got.json.items).filter((id) => id.startsWith("match-2026-104"));
        expect(matches).toEqual(want);
      }
    }
  });
});
