import { toJsonString } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { DEFAULT_ORDERS } from "../../../src/domain/content/order.ts";
import type { ContentPlace, ContentQuery } from "../../../src/storage/delivery-store.ts";
import type { Store } from "../../../src/storage/store.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN } = Visibility;

/** Holds the list of events: order, paging and visibility. */
export function eventContract(scenario: Scenario): void {
  scenario("events come by start time, unset last, ties by code points", MANY, async (store) => {
    const page = await store.events.list(toQuery({ limit: 100 }));
    expect(page.entries.map((it) => it.item.id)).toEqual(ORDERED);
    expect(page.next).toBeUndefined();
  });

  scenario("pages of every size hold everything once, in order", MANY, async (store) => {
    for (let limit = 1; limit <= ORDERED.length + 1; limit += 1) {
      const pages = await readAll(store, toQuery({ limit }));
      expect(pages.flat()).toEqual(ORDERED);
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
    }
  });

  scenario("pages over every visibility hold everything once", VISIBLE, async (store) => {
    const visibilities = [HIDDEN, PUBLISHED, UNSPECIFIED, UNLISTED];
    const want = VISIBLE.events.filter((it) => it.projectId === ALPHA).map((it) => it.id);
    for (let limit = 1; limit <= want.length + 1; limit += 1) {
      const pages = await readAll(store, toQuery({ limit, visibilities }));
      expect(pages.flat()).toEqual(want);
    }
  });

  scenario("no event leaves the store with another visibility", VISIBLE, async (store) => {
    const all: readonly Visibility[] = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN];
    for (let bits = 0; bits < 16; bits += 1) {
      const visibilities = all.filter((_, index) => (bits & (1 << index)) !== 0);
      const pages = await readAll(store, toQuery({ limit: 2, visibilities }));
      const want = VISIBLE.events
        .filter((it) => it.projectId === ALPHA && visibilities.includes(it.visibility))
        .map((it) => it.id);
      expect(pages.flat()).toEqual(want);
    }
  });

  scenario("an event is got by project, visibility and id together", VISIBLE, async (store) => {
    for (const { id, projectId, visibility } of VISIBLE.events) {
      const got = await store.events.get({ projectId, visibilities: [HIDDEN, visibility], id });
      expect(got.id).toBe(id);
      const others = [UNSPECIFIED, PUBLISHED, UNLISTED, HIDDEN].filter((it) => it !== visibility);
      const wrong = [
        { projectId, visibilities: others, id },
        { projectId, visibilities: [], id },
        { projectId: projectId === ALPHA ? BETA : ALPHA, visibilities: [visibility], id },
        { projectId, visibilities: [visibility], id: id.toUpperCase() },
      ];
      for (const key of wrong) {
        await expect(store.events.get(key)).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
      }
    }
  });

  scenario("the project is compared byte for byte", VISIBLE, async (store) => {
    const cases: readonly (readonly [string, readonly string[]])[] = [
      [BETA, ["beta-1"]],
      ["Beta", []],
      ["nowhere", []],
    ];
    for (const [projectId, want] of cases) {
      const page = await store.events.list(toQuery({ projectId }));
      expect(page.entries.map((it) => it.item.id)).toEqual(want);
    }
  });

  scenario("a place that is gone is continued behind", MANY, async (store) => {
    const cases: readonly (readonly [ContentPlace, readonly string[]])[] = [
      [{ key: -9e16, id: "" }, ORDERED],
      [{ key: 100_000_000, id: "A!" }, ORDERED.slice(3)],
      [{ key: 9e17, id: "" }, ORDERED.slice(-4)],
      [{ key: null, id: "" }, ORDERED.slice(-4)],
      [{ key: null, id: "n-1" }, ORDERED.slice(-3)],
      [{ key: null, id: "\u{10ffff}" }, []],
    ];
    for (const [after, want] of cases) {
      const page = await store.events.list(toQuery({ after }));
      expect(page.entries.map((it) => it.item.id)).toEqual(want);
    }
  });

  scenario("events are returned as the JSON of their messages", MANY, async (store) => {
    for (const { item } of (await store.events.list(toQuery({ limit: 100 }))).entries) {
      const want = MANY.events.find((it) => it.id === item.id) ?? createEvent("", {});
      expect(item.json).toBe(toJsonString(EventSchema, want));
    }
  });
}

function toQuery(changes: Partial<ContentQuery>): ContentQuery {
  return {
    projectId: ALPHA,
    visibilities: [PUBLISHED],
    words: [],
    order: DEFAULT_ORDERS.event,
    limit: 50,
    now: new Date(0),
    ...changes,
  };
}

async function readAll(store: Store, first: ContentQuery): Promise<string[][]> {
  const pages: string[][] = [];
  let after: ContentPlace | undefined;
  do {
    const page = await store.events.list({ ...first, ...(after && { after }) });
    pages.push(page.entries.map((it) => it.item.id));
    after = page.next;
  } while (after !== undefined && pages.length < 100);
  return pages;
}

const ORDERED = [
  "y1",
  "before 1970",
  "A",
  "a",
  "é",
  "\uff61",
  "\u{1f600}",
  "one microsecond on",
  "y9999",
  "n-1",
  "n-2",
  "\uff62",
  "\u{1f601}",
];

const MANY = createSmallDataset({
  events: [
    createEvent("\u{1f601}", {}),
    createEvent("n-2", {}),
    createEvent("\uff62", {}),
    createEvent("one microsecond on", { startTime: { seconds: 100n, nanos: 1_000 } }),
    ...["\u{1f600}", "é", "a", "\uff61", "A"].map((id) =>
      createEvent(id, { startTime: { seconds: 100n } }),
    ),
    createEvent("n-1", {}),
    createEvent("y9999", { startTime: { seconds: 253_402_300_799n, nanos: 999_999_999 } }),
    createEvent("y1", { startTime: { seconds: -62_135_596_800n }, title: { en: "First" } }),
    createEvent("before 1970", { startTime: { seconds: -1n, nanos: 1 } }),
    createEvent("hidden", { startTime: { seconds: 100n }, visibility: HIDDEN }),
  ],
});

/** In the order of the list: the times go on through all visibilities. */
const VISIBLE = createSmallDataset({
  events: [
    createEvent("e-1", { visibility: HIDDEN, startTime: { seconds: 1n } }),
    createEvent("e-2", { visibility: PUBLISHED, startTime: { seconds: 1n } }),
    createEvent("e-3", { visibility: UNLISTED, startTime: { seconds: 2n } }),
    createEvent("e-4", { visibility: UNSPECIFIED, startTime: { seconds: 3n } }),
    createEvent("e-5", { visibility: PUBLISHED, startTime: { seconds: 3n } }),
    createEvent("e-6", { visibility: HIDDEN, startTime: { seconds: 4n } }),
    createEvent("u-1", { visibility: UNLISTED }),
    createEvent("u-2", { visibility: PUBLISHED }),
    createEvent("u-3", { visibility: HIDDEN }),
    createEvent("u-4", { visibility: UNSPECIFIED }),
    createEvent("beta-1", { projectId: BETA }),
  ],
});
