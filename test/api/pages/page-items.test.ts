import { create } from "@bufbuild/protobuf";
import { timestampFromDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, getComponent, getPage, itemIds, listItems, readItems } from "./pages.ts";
import { createGrid, createPage, createPart, createRail, ofEachVisibility } from "./small-pages.ts";

/** Ids by start time: e-00 to e-24. */
const EVENTS = Array.from({ length: 25 }, (_, hour) => `e-${String(hour).padStart(2, "0")}`);
const PINNED = ["e-07", "missing", "unlisted", "e-03", "hidden", "e-07", "e-20", "entity"];
/** Other events by their starts, around the days of Berlin that have 23 and 25 hours. */
const STARTS = [
  "2026-03-28T22:59:59.999Z",
  "2026-03-28T23:00:00Z",
  "2026-03-29T21:59:59.999Z",
  "2026-03-29T22:00:00Z",
  "2026-10-24T21:59:59Z",
  "2026-10-24T22:00:00Z",
  "2026-10-25T01:30:00Z",
  "2026-10-25T22:59:59Z",
  "2026-10-25T23:00:00Z",
];

const NARROWED = { additionalFilters: { part: "fields.part: {part}" }, additionalSearch: "query" };
const LISTED = "fields.part: *";
const FILTER = "fields.kind: match or fields.kind: show";
const KINDS = { additionalFilters: { kind: "fields.kind: {kind}" } };

const BY_PART = "fields.part desc, start_time desc";
const isEven = (id: string) => Number(id.slice(2)) % 2 === 0;
const [EVEN_PARTS, ODD_PARTS] = [EVENTS.filter(isEven), EVENTS.filter((id) => !isEven(id))];

const DATA = createSmallDataset({
  events: [
    ...EVENTS.map((id, hour) =>
      createEvent(id, {
        startTime: timestampFromMs(Date.UTC(2026, 5, 11, hour)),
        title: { en: `Event ${hour}` },
        fields: { part: hour % 2 === 0 ? "even" : "odd" },
      }),
    ),
    ...ofEachVisibility((id, visibility) => createEvent(id, { visibility })).filter(
      (it) => it.visibility !== Visibility.PUBLISHED,
    ),
    ...STARTS.map((id, index) =>
      createEvent(id, {
        startTime: timestampFromDate(new Date(id)),
        fields: { kind: index % 2 === 0 ? "match" : "show" },
      }),
    ),
    createEvent("undated", { fields: { kind: "match" } }),
  ],
  entities: [
    create(EntitySchema, { id: "entity", projectId: ALPHA, visibility: Visibility.PUBLISHED }),
  ],
  pages: [
    createPage(
      "page",
      [
        createRail("all", { ...NARROWED, filter: LISTED }),
        createRail("pinned", { ...NARROWED, filter: LISTED, pinned: PINNED }),
        createRail("only-pinned", { filter: "id: e-03", pinned: ["e-03", "e-07"] }),
        createRail("limited", { filter: LISTED, limit: 4, pinned: ["e-20"] }),
        createRail("latest", { filter: LISTED, order: "start_time desc" }),
        createRail("by-part", { filter: LISTED, order: BY_PART }),
        createRail("by-part-pinned", {
          ...{ filter: LISTED, order: "fields.part asc", pinned: PINNED, ...NARROWED },
        }),
        createGrid("grid-by-part", "inline", {
          ...{ type: "BASE_TYPE_EVENT", page_size: 10, filter: LISTED, order: BY_PART },
        }),
        createRail("one", { filter: "id: {id}" }),
        createRail("none", { filter: "id: nothing" }),
        createRail("entities", { type: BaseType.ENTITY, pinned: ["e-03", "entity"] }),
        createGrid("see-all", "reference", { page_component_id: "limited" }),
        createGrid("grid", "inline", { type: "BASE_TYPE_EVENT", page_size: 10, filter: LISTED }),
        createPart("text", { case: "text", value: {} }),
        createPart("player", { case: "eventPlayer", value: {} }),
        createPart("calendar", { case: "calendarV2", value: { filter: FILTER, ...KINDS } }),
        createPart("old", { case: "calendar", value: { filter: FILTER } }),
        createPart("loose", {
          ...{ case: "calendarV2", value: { showOnUnmatchedAdditionalFilters: true } },
        }),
        createGrid("mirror", "reference", { page_component_id: "calendar" }),
      ],
      { parameters: ["id"] },
    ),
  ],
});

/** What pins of `PINNED` a public key is shown, and what follows them. */
const SHOWN_PINS = ["e-07", "e-03", "e-20"];
const without = (ids: readonly string[]) => EVENTS.filter((id) => !ids.includes(id));

const marquee = await useSmallMarquee(DATA);

describe("pages of every size hold all, in order", () => {
  test.each<[string, readonly string[]]>([
    ["all", EVENTS],
    ["pinned", [...SHOWN_PINS, ...without(SHOWN_PINS)]],
    ["only-pinned", ["e-03", "e-07"]],
    ["limited", ["e-20", ...without(["e-20"])]],
    ["latest", EVENTS.toReversed()],
    ["by-part", [...ODD_PARTS.toReversed(), ...EVEN_PARTS.toReversed()]],
    [
      "by-part-pinned",
      [...SHOWN_PINS, ...[...EVEN_PARTS, ...ODD_PARTS].filter((id) => !SHOWN_PINS.includes(id))],
    ],
    ["grid-by-part", [...ODD_PARTS.toReversed(), ...EVEN_PARTS.toReversed()]],
    ["entities", ["entity"]],
    ["none", []],
    ["grid", EVENTS],
    ["see-all", ["e-20", ...without(["e-20"])]],
    ["calendar", [...STARTS, "undated"]],
  ])("%s", async (id, want) => {
    for (let size = 1; size <= want.length + 2; size += 1) {
      const pages = await readItems(marquee, { id }, size);
      expect(pages.flat()).toEqual(want);
      const most = id === "limited" ? 4 : id.startsWith("grid") ? 10 : 100;
      const full = pages.slice(0, -1).every((page) => page.length === Math.min(size, most));
      expect([size, full]).toEqual([size, true]);
      expect(pages.at(-1)?.length).toBeGreaterThan(want.length === 0 ? -1 : 0);
    }
  });

  test("the pinned of every visibility for a preview key", async () => {
    const pins = ["e-07", "unlisted", "e-03", "hidden", "e-20"];
    for (const size of [1, 3, 5, 100]) {
      const pages = await readItems(marquee, { id: "pinned" }, size, "preview");
      expect(pages.flat()).toEqual([...pins, ...without(pins)]);
    }
  });
});

test.each<[string, number | undefined, number]>([
  ["all", undefined, 20],
  ["all", 1000, 25],
  ["limited", undefined, 4],
  ["limited", 3, 3],
  ["limited", 5, 4],
  ["see-all", undefined, 20],
  ["see-all", 24, 24],
  ["grid", undefined, 10],
  ["grid", 11, 10],
])("%s asked for %s items has %s", async (id, pageSize, want) => {
  const got = await listItems(marquee, { id, pageSize });
  expect(got.json.items).toHaveLength(want);
});

describe("the token of a response with its first items", () => {
  const state = { session: { part: "odd" }, parameters: { id: "e-01" } };
  const first = { includeItems: true, itemsPageSize: 2, ...state };
  for (const id of ["all", "pinned", "limited", "see-all", "grid"]) {
    test(`goes on behind them in ${id}`, async () => {
      const { session, ...open } = first;
      for (const message of id === "all" || id === "pinned" ? [first, open] : [open]) {
        const page = componentsOf(await getPage(marquee, { id: "page", ...message }));
        const single = await getComponent(marquee, { id, ...message });
        const shown = page.get(id);
        expect(single.json.component).toEqual(shown);
        const pageToken = shown?.itemsNextPageToken;
        const rest = await listItems(marquee, { id, ...message, pageSize: 2, pageToken });
        const whole = await listItems(marquee, { id, ...message, pageSize: 4 });
        const joined = [...itemIds(shown?.items), ...itemIds(rest.json.items)];
        expect(joined).toEqual(itemIds(whole.json.items));
        expect(joined).toHaveLength(4);
      }
    });
  }
});

const ODD = { id: "all", session: { part: "odd" }, pageSize: 1 };
const DAY = { id: "calendar", day: "2026-10-25", timeZone: "Europe/Berlin", pageSize: 1 };
describe("a token is rejected", () => {
  test.each<[string, typeof ODD | typeof DAY, object, ("public" | "preview")?]>([
    ["with another session", ODD, { session: { part: "even" } }],
    ["without the session", ODD, { session: {} }],
    ["with another search", ODD, { session: { part: "odd", query: "event" } }],
    ["with a session that hides", ODD, { session: { part: "even", other: 1 } }],
    ["by another component", ODD, { id: "pinned" }],
    ["by another kind of key", ODD, {}, "preview"],
    ["for another day", DAY, { day: "2026-10-24" }],
    ["for another time zone", DAY, { timeZone: "Europe/Paris" }],
    ["for neither day nor zone", DAY, { day: "", timeZone: "" }],
  ])("%s", async (_, of, change, key) => {
    const { json } = await listItems(marquee, of);
    const message = { ...of, pageToken: json.nextPageToken };
    const next = await listItems(marquee, { ...message, pageSize: 3, pageId: "page" });
    expect(next.status, next.text).toBe(200);
    const got = await listItems(marquee, { ...message, ...change }, key);
    expect(rejection(got)).toEqual([400, "PAGE_TOKEN_INVALID"]);
  });
});

describe("a day lists the events that start on it", () => {
  const days: readonly (readonly [day: string, timeZone: string, want: readonly string[]])[] = [
    ["2026-03-28", "", STARTS.slice(0, 2)],
    ["2026-03-29", "Europe/Berlin", STARTS.slice(1, 3)],
    ["2026-03-30", "Europe/Berlin", STARTS.slice(3, 4)],
    ["2026-10-25", "Europe/Berlin", STARTS.slice(5, 8)],
    ["2026-10-24", "America/New_York", STARTS.slice(4, 7)],
    ["2026-06-11", "UTC", []],
  ];
  for (const id of ["calendar", "old", "mirror"]) {
    test.each(days)(`%s %s in ${id}`, async (day, timeZone, want) => {
      for (const size of [1, 100]) {
        const pages = await readItems(marquee, { id, day, timeZone }, size);
        expect(pages.flat()).toEqual(want);
      }
    });
  }

  test("and of its session, whose unknown keys hide the cards alone", async () => {
    const got = await listItems(marquee, { ...DAY, pageSize: 9, session: { kind: "show" } });
    expect(itemIds(got.json.items)).toEqual([STARTS[5], STARTS[7]]);
    const session = { other: 1 };
    const page = componentsOf(
      await getPage(marquee, { slug: "page", session, includeItems: true }),
    );
    expect(page.get("calendar")).toMatchObject({ hidden: true, filter: FILTER });
    expect(page.get("calendar")?.items).toBeUndefined();
    const day = await listItems(marquee, { ...DAY, session });
    expect([day.status, day.json]).toEqual([200, {}]);
    for (const id of ["old", "loose"]) {
      expect(page.get(id)?.hidden).toBeUndefined();
      expect(page.get(id)?.items?.length).toBeGreaterThan(0);
    }
  });
});

describe("items are rejected", () => {
  test.each([
    // What a day and a zone may be, all of test/domain/pages/rendering/day-range.test.ts tries.
    [{ id: "all", day: "2026-06-11" }, [400, "DAY_INVALID"]],
    [{ id: "calendar", timeZone: "+02:00" }, [400, "TIME_ZONE_UNKNOWN"]],
    [{ id: "nothing" }, [404, "RESOURCE_NOT_FOUND"]],
    [{ id: "all", pageId: "nothing" }, [404, "RESOURCE_NOT_FOUND"]],
  ])("for %j", async (message, want) => {
    expect(rejection(await listItems(marquee, message))).toEqual(want);
  });

  const unresolved = { field: "rail.filter", variable: "id", reason: "VARIABLE_UNRESOLVED" };
  test.each([
    ["text", "COMPONENT_WITHOUT_ITEMS", {}],
    ["player", "COMPONENT_WITHOUT_ITEMS", {}],
    ["one", "COMPONENT_DROPPED", unresolved],
  ])("of %s: %s", async (id, reason, why) => {
    const got = await listItems(marquee, { id });
    expect([...rejection(got), got.json.code]).toEqual([400, reason, "failed_precondition"]);
    expect(metadataOf(got)).toEqual({ component_id: id, ...why });
  });
});
