import { type JsonValue, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { DocumentOrder, OrderPlace } from "../../../src/domain/base/paging.ts";
import type { ContentOrder } from "../../../src/domain/content/order.ts";
import { parseSearch } from "../../../src/domain/content/search.ts";
import { flattenDocument, parseKql } from "../../../src/domain/kql/index.ts";
import type { ContentQuery } from "../../../src/storage/contract/content-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createListInMemory, toPlace } from "../list-in-memory.ts";
import { listEventIds, listIdsInPages } from "../list-in-pages.ts";
import { createEndlessBudget, createSlowBudget, createTicks } from "../slow-budget.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { PUBLISHED, HIDDEN, UNLISTED } = Visibility;
const EVERY = [PUBLISHED, HIDDEN, UNLISTED];
const NOW = new Date("2026-06-20T12:00:00Z");

/** Holds the lists of content to their meaning in memory, whatever way they take. */
export function contentContract(scenario: Scenario): void {
  const hold = scenario.share(MANY);

  hold("lists are what the language and the order say", async (store) => {
    const page = fc.record({
      limit: fc.constantFrom(1, 7, 20, 100),
      visibilities: fc.constantFrom<Visibility[][]>([PUBLISHED], [PUBLISHED], EVERY, []),
    });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(LISTING, page, fc.nat(EVENTS.length), async (listing, rest, start) => {
        const query = { ...listing, ...rest };
        const want = listInMemory(query);
        const after = start % 2 === 0 ? want[Math.min(start, want.length - 1)] : undefined;
        const got = await readPages(store, 3, {
          ...query,
          at: undefined,
          ...(after !== undefined && { after: toPlace(after, query.order) }),
        });
        const from = after !== undefined ? want.indexOf(after) + 1 : 0;
        expect(got.ids).toEqual(want.slice(from, from + got.ids.length).map((it) => it.id));
        expect(got.isEnd).toBe(from + got.ids.length === want.length);
        found += got.ids.length;
      }),
      { numRuns: 30, examples: [[ANY, { limit: 100, visibilities: EVERY }, 1]] },
    );
    expect(found).toBeGreaterThan(100);
  });

  hold("a tally counts the items of a list and their values", async (store) => {
    const visibilities = fc.constantFrom<Visibility[][]>([PUBLISHED], EVERY, []);
    const fields = fc.uniqueArray(fc.constantFrom(...OWN_FIELDS, "content_type", "entity_ids"), {
      maxLength: 5,
    });
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        LISTING,
        visibilities,
        fields,
        fc.nat(3),
        async (listing, seen, of, omit) => {
          const query = { ...listing, visibilities: seen };
          const listed = listInMemory(query);
          const except = listed.slice(0, omit).map(({ id }) => id);
          const want = listed.slice(omit);
          const got = await store.events.tally({
            ...{ ...query, at: undefined, fields: of, except, most: 1_000 },
            budget: createEndlessBudget(),
          });
          expect(got).toEqual({
            ...{ total: want.length, isLowerBound: false, areValuesLowerBounds: false },
            values: new Map(of.map((field) => [field, countInMemory(want, field)])),
          });
          found += want.length;
        },
      ),
      { numRuns: 30, examples: [[ANY, EVERY, ["fields.code", "fields.mixed"], 1]] },
    );
    expect(found).toBeGreaterThan(100);
  });

  hold("a tally ends at its limit, or with its budget", async (store) => {
    const query = { ...ALL, fields: ["content_type"], budget: createEndlessBudget() };
    const { total } = await store.events.tally({ ...query, most: 1_000 });
    expect(total).toBe(listInMemory({ ...ANY, visibilities: [PUBLISHED] }).length);
    const exact = await store.events.tally({ ...query, most: total });
    expect(exact).toMatchObject({ total, isLowerBound: false, areValuesLowerBounds: false });
    const cut = await store.events.tally({ ...query, most: total - 1 });
    expect(cut).toMatchObject({ total: total - 1, isLowerBound: true, areValuesLowerBounds: true });
    const counts = [...(cut.values.get("content_type")?.values() ?? [])];
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total - 1);
    const filter = parseKql("fields.number < 400 or title.en: *7*");
    const spent = await store.events.tally({
      ...{ ...query, filter, most: 1_000 },
      budget: createSlowBudget(4),
    });
    expect(spent.areValuesLowerBounds).toBe(true);
    expect(spent.total).toBeLessThanOrEqual(total);
  });

  hold("a filter of the field that a list is ordered by hides nothing", async (store) => {
    for (const clause of [
      "fields.players.goals: (0 or 3)",
      "fields.players.goals >= 1",
      "fields.players.goals < 2 and fields.players.goals > 0",
      "fields.mixed: (Text* or 5 or true)",
      'fields.mixed > "2026-06-03"',
      "fields.mixed: *",
      "fields.tags: *",
      "fields.tags: (red or none)",
      "not fields.tags: blue",
    ]) {
      const field = /fields\.[a-z.]*[a-z]/.exec(clause)?.[0] ?? "";
      for (const direction of ["asc", "desc"] as const) {
        const filter = parseKql(clause);
        const query = { ...ALL, filter, order: { field, direction } };
        const want = listInMemory({ ...query, filter }).map(({ id }) => id);
        expect(want.length, clause).toBeGreaterThan(40);
        expect(await listIdsInPages(store, query, [50]), `${clause}, ${direction}`).toEqual(want);
      }
    }
  });

  hold("every page is full but the last", async (store) => {
    for (const limit of [19, 100]) {
      const sizes: number[] = [];
      let after: OrderPlace | undefined;
      do {
        const budget = createEndlessBudget();
        const page = await store.events.list({ ...ALL, limit, budget, ...(after && { after }) });
        sizes.push(page.entries.length);
        after = page.next;
      } while (after !== undefined);
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(
        EVENTS.filter((it) => it.visibility === PUBLISHED).length,
      );
    }
  });

  // An order that few items have a value of takes hundreds of pages.
  const MOST_EARLY = 20;

  hold("a list without time ends early and goes on there", async (store) => {
    const visible = fc.constantFrom([PUBLISHED], EVERY);
    // One partition ends before the items without a value, the others among these.
    const second: DocumentOrder = { field: "title.en", direction: "asc" };
    const byTwo = { ...ANY, order: { field: "fields.mixed.a", direction: "asc", second } } as const;
    let early = 0;
    await fc.assert(
      fc.asyncProperty(LISTING, visible, fc.constantFrom(2, 5), async (listing, ...rest) => {
        const [visibilities, steps] = rest;
        const query = { ...listing, at: undefined, visibilities, limit: 400 };
        const ids: string[] = [];
        let after: OrderPlace | undefined;
        let pages = 0;
        do {
          pages += 1;
          const budget = pages > MOST_EARLY ? createEndlessBudget() : createSlowBudget(steps);
          const page = await store.events.list({ ...query, budget, ...(after && { after }) });
          ids.push(...page.entries.map(({ item }) => item.id));
          if (page.next !== undefined && page.entries.length < 400) early += 1;
          after = page.next;
        } while (after !== undefined);
        expect(ids).toEqual(listInMemory(query).map((it) => it.id));
      }),
      {
        numRuns: 8,
        examples: [
          [ANY, EVERY, 2],
          [byTwo, EVERY, 5],
        ],
      },
    );
    expect(early).toBeGreaterThan(0);
  });

  scenario("times are distinguished in every year", AGES, async (store) => {
    const orders = [
      { field: "start_time", direction: "asc" },
      { field: "start_time", direction: "desc" },
      { field: "id", direction: "asc" },
    ] as const;
    for (const [index, [bound]] of INSTANTS.entries()) {
      for (const [operator, want] of [
        [">=", INSTANTS.slice(index)],
        [">", INSTANTS.slice(index + 1)],
        ["<=", INSTANTS.slice(0, index + 1)],
        ["<", INSTANTS.slice(0, index)],
        [":", [INSTANTS[index]]],
      ] as const) {
        const filter = parseKql(
          operator === ":" ? `start_time: "${bound}"` : `start_time ${operator} "${bound}"`,
        );
        const ids = want.map((it) => it?.[0]);
        for (const order of orders) {
          const got = await listEventIds(store, { ...ALL, filter, order });
          expect(got, `${operator} ${bound} by ${order.field}`).toEqual(
            order.direction === "desc" ? ids.toReversed() : ids,
          );
        }
      }
    }
  });

  scenario("the beginning of a boolean finds it, however rare it is", LIVE, async (store) => {
    for (const [start, want] of [
      ["t*", ["text", "yes"]],
      ["tru*", ["text", "yes"]],
      ["f*", ["no"]],
      ["fal*", ["no"]],
      ["x*", []],
    ] as const) {
      // With two lists to go along, what each clause finds is counted first.
      const filter = `content_type: match and entity_ids: team-1 and fields.live: ${start}`;
      for (const text of [filter, `fields.live: ${start}`]) {
        const query = { ...ALL, filter: parseKql(text) };
        expect(await listEventIds(store, query), text).toEqual(want);
      }
    }
  });

  hold("a list is given up when nobody waits for it", async (store) => {
    const abort = new AbortController();
    const pause = async () => abort.abort();
    const { signal } = abort;
    const budget = createSlowBudget(1_000, { clock: createTicks(20), signal, pause });
    const listed = store.events.list({ ...ALL, filter: parseKql("title.en: *x*"), budget });
    await expect(listed).rejects.toMatchObject({ reason: "CALL_CANCELLED" });
  });

  scenario("no statement looks for items without a title", TITLED, async (store) => {
    const order: ContentOrder = { field: "title.en", direction: "asc" };
    const last = { key: "stitle 0399", id: "event-0399" };
    const { entries, next } = await store.events.list({
      ...{ ...ALL, order, after: last },
      budget: createSlowBudget(1),
    });
    expect(entries).toEqual([]);
    expect(next).toMatchObject({ key: null });
  });

  scenario("kinds and projects do not see each other", MIXED, async (store) => {
    const query = { ...ALL, filter: parseKql("fields.secret: same") };
    for (const [projectId, want] of [
      [ALPHA, ["one"]],
      [BETA, ["two"]],
    ] as const) {
      const { events, creativeWorks, entities } = store;
      for (const [kind, list] of Object.entries({
        Event: events,
        CreativeWork: creativeWorks,
        Entity: entities,
      })) {
        const order = { field: "id", direction: "asc" } as const;
        const page = await list.list({ ...query, projectId, order });
        const ids = page.entries.map(({ item }) => item.id);
        expect(ids).toEqual(want.map((it) => `${it}-${kind}`));
      }
    }
    const works = await store.creativeWorks.list({ ...ALL, order: RELEASE, words: ["sam"] });
    expect(works.entries.map(({ item }) => item.id)).toEqual(["one-CreativeWork"]);
  });

  const UNSPACED = createSmallDataset({
    events: Object.entries({
      final: "W杯2026 決勝戦",
      semifinal: "準決勝：日本対ブラジル",
      thai: "ฟุตบอลโลก",
    }).map(([id, title]) => createEvent(id, { title: { en: title } })),
  });

  scenario("a text without spaces is found by its words", UNSPACED, async (store) => {
    const find = async (search: string) => {
      const words = parseSearch(search, "search");
      const order = { field: "id", direction: "asc" } as const;
      const { entries } = await store.events.list({ ...ALL, order, words });
      return entries.map(({ item }) => item.id);
    };
    for (const [search, found] of [
      ["決勝", ["final", "semifinal"]],
      ["決勝戦", ["final"]],
      ["w杯", ["final"]],
      ["2026", ["final"]],
      ["ブラジル", ["semifinal"]],
      ["ﾌﾞﾗｼﾞﾙ", ["semifinal"]],
      ["日本 決勝", ["semifinal"]],
      ["日", ["semifinal"]],
      ["ル", ["semifinal"]],
      ["日ブラジル", []],
      ["ฟุตบอล", ["thai"]],
      ["บอลโลก", ["thai"]],
    ] as const) {
      expect([search, await find(search)]).toEqual([search, found]);
    }
  });

  scenario("items are got by id, project and visibility", MIXED, async (store) => {
    const scope = { projectId: ALPHA, at: undefined, visibilities: [PUBLISHED] };
    const ids = ["one-Entity", "two-Entity", "one-Event", "nothing", "one-entity"];
    const got = await store.entities.getMany({ ...scope, ids });
    expect(got.map((it) => it.id)).toEqual(["one-Entity"]);
    expect(await store.entities.getMany({ ...scope, ids: [] })).toEqual([]);
    await expect(store.entities.get({ ...scope, id: "two-Entity" })).rejects.toMatchObject({
      reason: "RESOURCE_NOT_FOUND",
    });
  });
}

/** Moments in their order, with seconds since 1970 and nanoseconds; each is the id of an event. */
const INSTANTS = [
  ["0001-01-01T00:00:00.25Z", 250_000_000],
  ["0001-01-01T00:00:00.75Z", 750_000_000],
  ["1600-06-30T12:00:00.0001Z", 100_000],
  ["1600-06-30T12:00:00.0002Z", 200_000],
  ["2026-06-11T18:00:00.000001Z", 1_000],
  ["2026-06-11T18:00:00.000002Z", 2_000],
  ["2255-06-05T23:47:34.5Z", 500_000_000],
  ["2255-06-05T23:47:34.9Z", 900_000_000],
  ["2255-06-05T23:47:35.5Z", 500_000_000],
  ["9999-12-31T23:59:59.5Z", 500_000_000],
  ["9999-12-31T23:59:59.8Z", 800_000_000],
  ["9999-12-31T23:59:59.999999Z", 999_999_000],
] as const;

const AGES = createSmallDataset({
  events: INSTANTS.map(([id, nanos]) => {
    const seconds = BigInt(Date.parse(id.replace(/\.\d+/, "")) / 1_000);
    return createEvent(id, { startTime: { seconds, nanos } });
  }),
});

const LIVE = createSmallDataset({
  events: Object.entries({ yes: true, no: false, text: "true-ish", none: "other" }).map(
    ([id, live]) =>
      createEvent(id, { contentType: "match", entityIds: ["team-1"], fields: { live } }),
  ),
});

/** What filters are made of: rare and common values, numbers, times, lists, groups and their likes. */
const CLAUSES = [
  "content_type: match",
  "content_type: show",
  "content_type: nothing",
  "not content_type: match",
  // One shape, whose plan is cached, with values of other kinds.
  "entity_ids: team-3",
  "entity_ids: team-7",
  "fields.code: 7",
  'fields.code: "12"',
  'start_time >= "2026-06-13"',
  "id: (event-0011 or event-0007)",
  "entity_ids: (team-1 or team-2 or team-3)",
  "entity_ids: (team-1 or team-2) or fields.number: 7",
  "fields.number: 7",
  "fields.number: 700",
  "fields.number >= 1000",
  "fields.number < 40",
  "fields.code: 12",
  "fields.flag: true",
  "fields.long: *x",
  `fields.long: "${"a".repeat(300)}1"`,
  "fields.tags: (red and blue)",
  "fields.players:{name: Ann and goals >= 2}",
  "not fields.players:{goals: 1}",
  "fields.none: *",
  "fields.tags: *",
  "fields.*: red",
  "fields.mixed: *",
  "fields.mixed >= 1",
  "fields.mixed <= 2 and fields.mixed >= 0",
  "fields.mixed: (Text* or 5)",
  "match",
  'start_time >= "2026-06-11"',
  'start_time < "2026-06-20T12:00:00.000001Z"',
  'start_time: "2026-06-11T02:00:00+02:00"',
  "start_time >= now",
  "start_time < now-2d and start_time > now-20d/d",
  'create_time > "2026-01-01T00:05:00Z"',
  'update_time <= "2026-01-02"',
  "start_time > abc",
  "start_time: *",
  "not start_time: *",
  "id: event-0007",
  "id: (event-0007 or event-0011 or event-0700)",
  "not id: (event-0007 or event-0011)",
  'id >= "event-0500"',
  "visibility: VISIBILITY_PUBLISHED",
  "project_id: alpha",
  "title.en: Game*",
  "title.en: *1*",
  "description.en: *word*",
  "fields.number: null",
];
const FIELDS = [
  "start_time",
  "start_time",
  "create_time",
  "update_time",
  "id",
  "title.en",
  "title.de",
];
/** Of one value each, of several, of several kinds, and of few, none or the same values. */
const OWN_FIELDS = [
  "fields.number",
  "fields.mixed",
  "fields.mixed",
  "fields.mixed.a",
  "fields.code",
  "fields.long",
  "fields.tags",
  "fields.players.goals",
  "fields.players.name",
  "fields.none",
];
const SEARCHES = [["game"], ["gam", "7"], ["umlaut"], ["nowhere"], ["ann"], ["w"]];

const DIRECTION = fc.constantFrom("asc" as const, "desc" as const);
const KNOWN_ORDER = fc.record({ field: fc.constantFrom(...FIELDS), direction: DIRECTION });
const ORDER: fc.Arbitrary<ContentOrder> = fc.oneof(
  KNOWN_ORDER,
  fc.record(
    { field: fc.constantFrom(...OWN_FIELDS), direction: DIRECTION, second: KNOWN_ORDER },
    { requiredKeys: ["field", "direction"] },
  ),
);

/** What a list can be asked, but for its pages and its visibilities. */
const LISTING = fc
  .record({
    clauses: fc.array(fc.constantFrom(...CLAUSES), { maxLength: 3 }),
    order: ORDER,
    words: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.constantFrom(...SEARCHES)),
  })
  .map(({ clauses, order, words }) => ({
    ...{ projectId: ALPHA, now: NOW, words, order },
    filter: parseKql(clauses.map((it) => `(${it})`).join(" and ")),
  }));

/** Every event of the project: what is found does not depend on the listings that are drawn. */
const ANY = {
  ...{ projectId: ALPHA, now: NOW, words: [] },
  ...{ order: { field: "id", direction: "asc" } as const, filter: parseKql("") },
};

const EVENTS: readonly Event[] = Array.from({ length: 800 }, (_, number) => {
  const pick = (count: number, salt: number) =>
    (((number * 7_919) ^ (salt * 104_729)) >>> 3) % count;
  // A third of them start together: more than one step tests.
  const day = number % 3 === 0 ? 7 : pick(40, 1);
  return createEvent(`event-${String(number).padStart(4, "0")}`, {
    contentType: pick(5, 2) === 0 ? "show" : "match",
    visibility: [PUBLISHED, PUBLISHED, PUBLISHED, HIDDEN, UNLISTED][pick(5, 3)] ?? PUBLISHED,
    ...(pick(10, 4) > 0 && { startTime: { seconds: 1_780_272_000n + BigInt(day * 43_200) } }),
    createTime: { seconds: 1_767_225_600n + BigInt(Math.floor(number / 100) * 60) },
    ...(pick(3, 5) > 0 && { updateTime: { seconds: 1_767_225_600n + BigInt(number * 60) } }),
    title: {
      ...(pick(9, 6) > 0 && { en: `Game ${pick(700, 7)}` }),
      ...(pick(4, 8) === 0 && { de: "Ümläut" }),
    },
    description: { en: pick(6, 9) === 0 ? "a word of it" : "none" },
    entityIds: [`team-${pick(60, 10)}`, `team-${pick(60, 11)}`],
    fields: {
      number: pick(1_300, 12),
      code: pick(2, 13) === 0 ? "12" : 12,
      flag: pick(3, 14) === 0 ? true : "true",
      long: `${"a".repeat(300)}${pick(2, 15)}${pick(30, 16) === 0 ? "x" : ""}`,
      mixed: [
        pick(50, 21) / 7 - 3,
        `Text ${pick(9, 22)}`,
        pick(2, 23) === 0,
        new Date(1_780_272_000_000 + pick(99, 24) * 3_600_000).toISOString(),
        [pick(9, 25), "é", -pick(9, 26)],
        { a: pick(3, 27) },
        null,
        "a".repeat(300) + pick(5, 28),
      ][pick(8, 29)] as JsonValue,
      tags: pick(4, 17) === 0 ? ["red", "blue", "red"] : pick(4, 17) === 1 ? ["red"] : [],
      players: [
        { name: pick(2, 18) === 0 ? "Ann" : "Bob", goals: pick(4, 19) },
        { name: "Cid", goals: pick(3, 20) },
      ],
    },
  });
});

const listInMemory = createListInMemory(EVENTS);

/** Counts the events with each value of a field by their meaning alone. */
function countInMemory(events: readonly Event[], field: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    const { leaves } = flattenDocument(toJson(EventSchema, event, { useProtoFieldName: true }));
    const own = leaves.filter(({ path, value }) => path === field && String(value).length < 255);
    for (const value of new Set(own.map((leaf) => String(leaf.value)))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

const MANY = createSmallDataset({ events: EVENTS });

/** More events than one step tests, all with a title. */
const TITLED = createSmallDataset({
  events: Array.from({ length: 400 }, (_, index) => {
    const number = String(index).padStart(4, "0");
    return createEvent(`event-${number}`, { title: { en: `title ${number}` } });
  }),
});

const ALL: ContentQuery = {
  projectId: ALPHA,
  at: undefined,
  visibilities: [PUBLISHED],
  words: [],
  order: { field: "start_time", direction: "asc" },
  limit: 100,
  now: NOW,
};

const RELEASE: ContentOrder = { field: "release_time", direction: "desc" };

const MIXED = createSmallDataset({
  ...Object.fromEntries(
    (
      [
        ["events", EventSchema],
        ["creativeWorks", CreativeWorkSchema],
        ["entities", EntitySchema],
      ] as const
    ).map(([list, schema]) => [
      list,
      [
        { id: `one-${schema.name}`, projectId: ALPHA },
        { id: `two-${schema.name}`, projectId: BETA },
      ].map((it) => ({
        ...createEvent("", {}),
        $typeName: schema.typeName,
        ...it,
        fields: { secret: "same" },
      })),
    ]),
  ),
});

async function readPages(store: Store, count: number, query: ContentQuery) {
  const ids: string[] = [];
  let after: OrderPlace | undefined = query.after;
  for (let page = 0; page < count; page += 1) {
    const { entries, next } = await store.events.list({ ...query, ...(after && { after }) });
    ids.push(...entries.map(({ item }) => item.id));
    after = next;
    if (next === undefined) return { ids, isEnd: true };
  }
  return { ids, isEnd: false };
}
