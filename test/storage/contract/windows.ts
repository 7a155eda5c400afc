import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect } from "vitest";
import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { WindowSchema } from "../../../gen/svc/type/v1/window_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { VisibleQuery } from "../../../src/storage/contract/document-store.ts";
import { createListInMemory } from "../list-in-memory.ts";
import { listIdsInPages } from "../list-in-pages.ts";
import { createEndlessBudget, createSlowBudget } from "../slow-budget.ts";
import { ALPHA, createComponent, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { PUBLISHED, UNLISTED } = Visibility;
const START = Date.UTC(2026, 11, 1);
const HOUR = 3_600_000;

/** Starts and ends, in hours; absent: none. Each is the edge of some window, at which a list reads. */
const SPANS: readonly (readonly [number | undefined, number | undefined])[] = [
  [undefined, undefined],
  [undefined, undefined],
  [undefined, 1],
  [1, undefined],
  [1, 3],
  [2, 3],
  [0, 5],
];

const toWindow = ([start, end]: (typeof SPANS)[number]) =>
  create(WindowSchema, {
    ...(start !== undefined && { startTime: timestampFromMs(START + start * HOUR) }),
    ...(end !== undefined && { endTime: timestampFromMs(START + end * HOUR) }),
  });

const SPANNED = Array.from({ length: 70 }, (_, number) => {
  const span = SPANS[number % SPANS.length] ?? [undefined, undefined];
  const isUnlisted = number % 9 === 0;
  const event = createEvent(`event-${String(number).padStart(2, "0")}`, {
    visibility: isUnlisted ? UNLISTED : PUBLISHED,
    contentType: number % 3 === 0 ? "show" : "match",
    startTime: timestampFromMs(START + (number % 11) * HOUR),
    title: { en: `Game ${number % 5}` },
    entityIds: [`team-${number % 4}`],
    fields: { rating: (number * 7) % 13 },
    ...(number % 14 > 0 && { availability: toWindow(span) }),
  });
  return { event, span };
});

/** Lists what is open at a time by the meaning of windows alone. */
function listOpen(hours: number) {
  return SPANNED.filter(
    ({ span: [start = -Infinity, end = Infinity] }) => start <= hours && hours < end,
  ).map(({ event }) => event);
}

/** Many events of which few are open after the first hour, so that lists test them in several steps. */
const MOSTLY_ENDED = Array.from({ length: 1_500 }, (_, number) =>
  createEvent(`event-${String(number).padStart(4, "0")}`, {
    contentType: ["match", "show", "talk"][number % 3] ?? "",
    startTime: timestampFromMs(START + (number % 400) * HOUR),
    title: { en: `Game ${number % 50}` },
    entityIds: [`team-${number % 7}`],
    fields: { few: number % 3 },
    ...(number % 40 > 0 && { availability: toWindow([undefined, 1]) }),
  }),
);

const SHOWN = { projectId: ALPHA, visibility: PUBLISHED };
const DATA = createSmallDataset({
  events: SPANNED.map(({ event }) => event),
  offers: [
    create(OfferSchema, { id: "always", ...SHOWN, opens: { everything: true } }),
    create(OfferSchema, {
      ...{ id: "early", ...SHOWN, opens: { everything: true } },
      availability: toWindow([undefined, 1]),
    }),
  ],
  pages: [
    {
      page: create(PageSchema, { id: "open", slug: "open", ...SHOWN }),
      components: [
        createComponent("always-shown", { visibility: PUBLISHED }),
        createComponent("late", { visibility: PUBLISHED, availability: toWindow([1, undefined]) }),
      ],
    },
    {
      page: create(PageSchema, {
        ...{ id: "early", slug: "early", ...SHOWN, availability: toWindow([undefined, 1]) },
      }),
      components: [createComponent("on-early", { visibility: PUBLISHED })],
    },
  ],
});

/** The moment of a read, which collects the times until which it is true, in hours. */
class Moment {
  readonly time: Date;
  readonly limits: number[] = [];

  constructor(hours: number) {
    this.time = new Date(START + hours * HOUR);
  }

  limitUntil(until: number): void {
    this.limits.push((until - START) / HOUR);
  }
}

const LISTING = fc.record({
  hours: fc.constantFrom(-1, 0, 0.5, 1, 1.5, 2, 3, 5),
  visibilities: fc.constantFrom([PUBLISHED], [PUBLISHED, UNLISTED]),
  filter: fc
    .constantFrom(
      "",
      "content_type: match",
      "entity_ids: team-1",
      "content_type: show or fields.rating > 7",
      "entity_ids: (team-1 or team-2 or team-3)",
      "not availability: *",
      'availability.end_time > "2026-12-01T02:00:00Z"',
      "title.*: game*",
    )
    .map(parseKql),
  words: fc.constantFrom([], ["game"]),
  order: fc.record({
    field: fc.constantFrom("id", "start_time", "title.en", "fields.rating"),
    direction: fc.constantFrom("asc" as const, "desc" as const),
  }),
  sizes: fc.constantFrom([9, 60], [60]),
});

/** Holds every public read to the windows of resources, lists with a number of random ones. */
export function windowsContract(scenario: Scenario, numRuns: number): void {
  const hold = scenario.share(DATA);

  hold(
    "case 7: a list equals the list of a copy without the items that are outside",
    async (store) => {
      const copies = new Map<number, ReturnType<typeof createListInMemory>>();
      await fc.assert(
        fc.asyncProperty(LISTING, async ({ hours, sizes, ...query }) => {
          const listCopy = copies.get(hours) ?? createListInMemory(listOpen(hours));
          copies.set(hours, listCopy);
          const at = new Moment(hours);
          const now = at.time;
          const want = listCopy({ ...query, now }).map(({ id }) => id);
          expect(await listIdsInPages(store, { ...query, at, now }, sizes)).toEqual(want);
          const tally = await store.events.tally({
            ...{ ...query, at, now, projectId: ALPHA, fields: [], most: 1_000 },
            budget: createEndlessBudget(),
          });
          expect(tally.total).toBe(want.length);
        }),
        { numRuns },
      );
    },
  );

  const holdEnded = scenario.share(createSmallDataset({ events: MOSTLY_ENDED }));

  holdEnded("a list finds the open items among many that have ended", async (store) => {
    const at = new Moment(1);
    const listCopy = createListInMemory(MOSTLY_ENDED.filter((_, number) => number % 40 === 0));
    const query = { at, now: at.time, words: [], visibilities: [PUBLISHED] };
    for (const text of ["", "content_type: match", "entity_ids: (team-1 or team-2 or team-3)"]) {
      const filter = parseKql(text);
      for (const field of ["id", "start_time", "title.en", "fields.few"]) {
        for (const direction of ["asc", "desc"] as const) {
          const list = { ...query, filter, order: { field, direction } };
          const want = listCopy(list).map(({ id }) => id);
          expect(want.length).toBeGreaterThan(9);
          expect([text, field, await listIdsInPages(store, list, [9, 60])]).toEqual([
            text,
            field,
            want,
          ]);
        }
      }
    }
  });

  hold("a list is true until the next start or end of an item", async (store) => {
    const query = { projectId: ALPHA, filter: parseKql("id: none"), words: [], limit: 9 };
    const order = { field: "id", direction: "asc" } as const;
    for (const [hours, want] of [
      [-1, 0],
      [0, 1],
      [1, 2],
      [2.5, 3],
      [3, 5],
      [5, undefined],
    ] as const) {
      const at = new Moment(hours);
      const scope = { at, visibilities: [PUBLISHED], now: at.time };
      await store.events.list({ ...query, ...scope, order });
      expect([hours, Math.min(...at.limits)]).toEqual([hours, want ?? Infinity]);
    }
  });

  hold("an offer opens videos while it is available", async (store) => {
    const opening = { projectId: ALPHA, visibilities: [PUBLISHED], videoId: "video-1", limit: 9 };
    for (const [hours, want] of [
      [0, ["always", "early"]],
      [1, ["always"]],
    ] as const) {
      const at = new Moment(hours);
      expect(await store.offers.listOpening({ ...opening, at })).toEqual(want);
    }
  });

  hold("resources are found by id while they are available", async (store) => {
    const ids = SPANNED.map(({ event }) => event.id);
    for (const hours of [0, 1, 3]) {
      const at = new Moment(hours);
      const scope = { projectId: ALPHA, visibilities: [PUBLISHED, UNLISTED], at };
      const items = await store.events.getMany({ ...scope, ids });
      expect(items.map(({ id }) => id).sort()).toEqual(listOpen(hours).map(({ id }) => id));
      const isEarly = hours < 1;
      const early = isEarly ? ["early"] : [];
      const found: string[] = [];
      let after: OrderPlace | undefined;
      do {
        const query = { ...scope, limit: 1, ...(after && { after }) };
        const { values, next } = await store.pages.list(query);
        found.push(...values.map(({ id }) => id));
        after = next;
      } while (after !== undefined);
      expect(found).toEqual([...early, "open"]);
      const shown = { ...scope, componentVisibilities: [PUBLISHED] };
      const late = isEarly ? [] : ["late"];
      const { components } = await store.pages.get({ ...shown, id: "open" });
      expect(components.map(({ id }) => id)).toEqual(["always-shown", ...late]);
      const named = await store.pages.getComponents({ ...shown, ids: ["late", "on-early"] });
      expect(named.map(({ id }) => id)).toEqual(isEarly ? ["on-early"] : ["late"]);
      const page = store.pages.get({ ...shown, slug: "early" });
      if (isEarly) expect((await page).page.id).toBe("early");
      else await expect(page).rejects.toThrow("early");
      const offers = await store.visibleDocuments.list("offer", { ...scope, limit: 9 });
      expect(offers.values.map(({ id }) => id)).toEqual(["always", ...early]);
    }
  });

  hold("lists whose time is up end behind what is closed, too", async (store) => {
    for (const hours of [0, 2]) {
      const scope = { projectId: ALPHA, visibilities: [PUBLISHED], at: new Moment(hours) };
      const lists = [
        (query: VisibleQuery) => store.visibleDocuments.list("offer", query),
        (query: VisibleQuery) => store.pages.list(query),
      ];
      for (const list of lists) {
        const found: string[] = [];
        let after: OrderPlace | undefined;
        do {
          const query = {
            ...scope,
            limit: 9,
            budget: createSlowBudget(0),
            ...(after && { after }),
          };
          const { values, next } = await list(query);
          found.push(...values.map(({ id }) => id));
          after = next;
        } while (after !== undefined);
        const { values: all } = await list({ ...scope, limit: 9 });
        expect(found).toEqual(all.map(({ id }) => id));
      }
    }
  });
}
