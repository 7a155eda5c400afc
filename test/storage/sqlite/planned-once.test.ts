import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { ContentPlace, ContentQuery } from "../../../src/storage/delivery-store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createListInMemory, toPlace } from "../list-in-memory.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { createStoreOver } from "./one-connection.ts";

const { PUBLISHED, HIDDEN } = Visibility;
const NOW = new Date("2026-06-12T12:00:00Z");

const LONG = "a".repeat(300);

/** Values of every kind that SQL tells apart, so that filters of one shape differ in their forms. */
const VALUES = [
  ...["match", "team-3", "team-7", "red", "blue", "Game 7", "none", "", "🏀", "event-0007"],
  ...["7", "7.0", "12", "-1.5", "true", "false", `${LONG}0`, `${LONG}1`, "a".repeat(255)],
  ...["2026-06-11T00:00:00Z", "2026-06-11T02:00:00+02:00", "2026-06-13", "now", "now-1d", "now/d"],
];

/** Clauses with values `$`. */
const CLAUSES = [
  ...["content_type: $", "entity_ids: $", "entity_ids: $", "fields.code: $", "fields.long: $"],
  ...["fields.flag: $", "not fields.tags: $", "not content_type: $", "id: $", "start_time: $"],
  ...["entity_ids: ($ or $ or $)", "fields.tags: ($ and $)", "id: ($ or $)", "fields.*: $", "$"],
  ...["entity_ids: $ or fields.code: $", "fields.players:{name: $ and goals >= $}"],
  ...["fields.number >= $", "fields.number < $", "fields.code > $", "fields.long <= $"],
  ...["start_time >= $", "start_time < $", "start_time > $ and start_time <= $", "create_time > $"],
  ...["title.en: Game*", "title.en: 1*", "title.en: *7*", "fields.tags: *", "not start_time: *"],
];

const FIELDS = ["start_time", "start_time", "create_time", "id", "title.en"];

/** Pages of lists of one shape, with several sets of values. */
const lists = fc.record({
  clauses: fc.array(fc.constantFrom(...CLAUSES), { maxLength: 3 }),
  values: fc.array(fc.array(fc.constantFrom(...VALUES), { minLength: 9, maxLength: 9 }), {
    minLength: 2,
    maxLength: 4,
  }),
  words: fc.constantFrom<readonly string[]>([], [], [], ["game"], ["gam", "7"]),
  field: fc.constantFrom(...FIELDS),
  direction: fc.constantFrom("asc" as const, "desc" as const),
  visibilities: fc.constantFrom([PUBLISHED], [PUBLISHED, HIDDEN]),
  limit: fc.constantFrom(1, 5, 20),
  start: fc.option(fc.nat(1_000)),
});

/** Lists of which only the first has a value twice, so that their forms differ. */
const ONE_VALUE_TWICE: typeof lists extends fc.Arbitrary<infer Lists> ? Lists : never = {
  clauses: ["entity_ids: $", "entity_ids: $"],
  values: [
    ["team-3", "team-3"],
    ["team-3", "team-7"],
  ],
  words: [],
  field: "start_time",
  direction: "asc",
  visibilities: [PUBLISHED],
  limit: 20,
  start: null,
};

const EVENTS: readonly Event[] = Array.from({ length: 200 }, (_, number) => {
  const pick = (count: number, salt: number) =>
    (((number * 7_919) ^ (salt * 104_729)) >>> 3) % count;
  return createEvent(`event-${String(number).padStart(4, "0")}`, {
    contentType: pick(5, 2) === 0 ? "show" : "match",
    visibility: pick(5, 3) === 0 ? HIDDEN : PUBLISHED,
    ...(pick(10, 4) > 0 && {
      startTime: { seconds: 1_781_049_600n + BigInt(pick(12, 1) * 43_200) },
    }),
    createTime: { seconds: 1_781_049_600n + BigInt(Math.floor(number / 50) * 86_400) },
    ...(pick(9, 6) > 0 && { title: { en: `Game ${pick(90, 7)}` } }),
    entityIds: [`team-${pick(9, 10)}`, `team-${pick(9, 11)}`],
    fields: {
      number: pick(20, 12),
      code: [7, "7", "12", -1.5, "2026-06-11T00:00:00Z"][pick(5, 13)] ?? 0,
      flag: pick(3, 14) === 0 ? true : "true",
      long: `${LONG}${pick(3, 15)}`,
      tags: [["red", "blue"], ["red"], [], ["🏀"]][pick(4, 17)] ?? [],
      players: [{ name: pick(2, 18) === 0 ? "red" : "blue", goals: pick(14, 19) }],
    },
  });
});

const listInMemory = createListInMemory(EVENTS);

let database: Database.Database;
let store: Store;

beforeAll(async () => {
  database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database);
  await loadDataset(store, createSmallDataset({ events: EVENTS }));
});
afterAll(() => store.close());

test("a list planned once is the list planned anew, and what the language and the order say", async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(lists, async ({ clauses, values, field, direction, start, ...rest }) => {
      for (const own of values) {
        const unused = own.map((it) => JSON.stringify(it));
        const text = clauses.join(") and (").replaceAll("$", () => unused.pop() ?? "never");
        const filter = parseKql(text === "" ? "" : `(${text})`);
        const query = { ...rest, filter, order: { field, direction }, now: NOW };
        const all = listInMemory(query);
        const from = start === null || all.length === 0 ? undefined : start % all.length;
        const last = from === undefined ? undefined : all[from];
        const page = { ...query, projectId: ALPHA, ...(last && { after: toPlace(last, field) }) };
        const want = all.slice((from ?? -1) + 1).map(({ id }) => id);
        expect(await readPage(store, page), text).toEqual(want.slice(0, rest.limit));
        const anew = createStoreOver(database);
        expect(await readPage(anew, page), text).toEqual(want.slice(0, rest.limit));
        found += Math.min(want.length, rest.limit);
      }
    }),
    { numRuns: 150, examples: [[ONE_VALUE_TWICE]] },
  );
  expect(found).toBeGreaterThan(500);
}, 120_000);

/** Reads a page, which may come in pieces. */
async function readPage(from: Store, query: ContentQuery): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: ContentPlace | undefined = query.after;
  do {
    const limit = query.limit - ids.length;
    const page = await from.events.list({ ...query, limit, ...(after && { after }) });
    ids.push(...page.entries.map(({ item }) => item.id));
    after = page.next;
  } while (after !== undefined && ids.length < query.limit);
  return ids;
}
