import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createListInMemory } from "../list-in-memory.ts";
import { listIdsInPages } from "../list-in-pages.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const { PUBLISHED, HIDDEN } = Visibility;
const NOW = new Date("2026-06-12T12:00:00Z");

const COUNT = 12_000;
const UNSET_FROM = 9_000;

/** Events in the order of their times: seven at a time, 1,000 at one time, then those without. */
const EVENTS = Array.from({ length: COUNT }, (_, number) => {
  const isTied = number >= 4_000 && number < 5_000;
  const tags = [
    ...(number % 2 === 0 ? ["half"] : []),
    ...(number % 3 === 0 ? ["third"] : []),
    ...(number < 3_000 || number % 5 === 0 ? ["early"] : []),
    ...(number >= 6_000 || number % 5 === 0 ? ["late"] : []),
    "all",
  ];
  const minute = isTied ? 4_000 / 7 : Math.floor(number / 7);
  return createEvent(`event-${String((number * 7_919) % COUNT).padStart(5, "0")}`, {
    visibility: number % 10 === 9 ? HIDDEN : PUBLISHED,
    ...(number < UNSET_FROM && {
      startTime: { seconds: BigInt(1_780_272_000 + Math.floor(minute * 60)) },
    }),
    contentType: number % 5 === 0 ? "show" : "match",
    fields: { tags },
  });
});

const listInMemory = createListInMemory(EVENTS);

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(async () => {
  database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database, (query) => queries.push(query));
  await store.load(createSmallDataset({ events: EVENTS }));
}, 120_000);
afterAll(() => store.close());

const FILTERS = [
  "fields.tags: half and fields.tags: third",
  "fields.tags: half and fields.tags: third and not content_type: show",
  "fields.tags: half and fields.tags: third and fields.tags: all",
  "fields.tags: all and fields.tags: third",
  "fields.tags: all and fields.tags: all",
  'fields.tags: half and fields.tags: third and start_time >= "2026-06-01T08:00:00Z"',
];

describe("lists read side by side are those of the language and the order", () => {
  for (const filter of FILTERS) {
    for (const direction of ["asc", "desc"] as const) {
      for (const visibilities of [[PUBLISHED], [PUBLISHED, HIDDEN]]) {
        test(`${filter}, ${direction}, ${visibilities.length} visibilities`, async () => {
          await expectPagesOf(filter, direction, visibilities);
          expect(queries.filter(isIntersection).length).toBeGreaterThan(0);
        });
      }
    }
  }
});

describe("lists that turn sparse are read side by side only before that", () => {
  for (const [tag, direction] of [
    ["early", "asc"],
    ["late", "desc"],
  ] as const) {
    test(`${tag}, ${direction}`, async () => {
      await expectPagesOf(`fields.tags: ${tag} and fields.tags: all`, direction, [PUBLISHED]);
      const scans = queries.filter(({ sql }) => sql.includes("select found.key"));
      const kinds = scans.map((it) => (isIntersection(it) ? "both" : "one"));
      expect(kinds.filter((kind) => kind === "both").length).toBeGreaterThanOrEqual(3);
      expect(kinds.at(-1)).toBe("one");
    });
  }
});

/** Expects that all pages of a list are what it means, and that no statement reads more than its share. */
async function expectPagesOf(
  filter: string,
  direction: "asc" | "desc",
  visibilities: readonly Visibility[],
): Promise<void> {
  const query = {
    ...{ filter: parseKql(filter), words: [], visibilities, now: NOW },
    order: { field: "start_time", direction },
  };
  queries = [];
  const ids = await listIdsInPages(store, query, [7, COUNT]);
  expect(ids).toEqual(listInMemory(query).map(({ id }) => id));
  let most = 0;
  for (const it of queries) {
    if (it.sql.includes("as stop")) most = 4 * Number(it.parameters.at(-1));
    if (isIntersection(it)) expect(Math.max(...countEntries(it))).toBeLessThanOrEqual(most);
  }
}

test("both lists are read by the index alone, from the place to the stop", async () => {
  for (const direction of ["asc", "desc"] as const) {
    queries = [];
    const query = {
      ...{ projectId: ALPHA, visibilities: [PUBLISHED], words: [], limit: 1_000, now: NOW },
      filter: parseKql("fields.tags: half and fields.tags: third"),
      order: { field: "start_time", direction },
    };
    const { next } = await store.events.list(query);
    await store.events.list({ ...query, ...(next && { after: next }) });
    const steps = queries.filter(isIntersection).map(explain);
    expect(steps.length).toBeGreaterThanOrEqual(2);
    for (const all of steps) {
      expect(all).toContain("MERGE (INTERSECT)");
      const searches = all.filter((step) => step.startsWith("SEARCH source"));
      const range = /\(path=\? AND visibility=\? AND value=\? AND .*(sort_time|id)[<>]/;
      expect(searches).toEqual([expect.stringMatching(range), expect.stringMatching(range)]);
      const sorts = all.filter((step) => step.includes("TEMP B-TREE"));
      expect(sorts.length).toBeLessThanOrEqual(direction === "asc" ? 0 : 1);
    }
  }
});

function isIntersection({ sql }: RunQuery): boolean {
  return sql.includes(" intersect ");
}

function explain({ sql, parameters }: RunQuery): string[] {
  return database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map((row) => row.detail);
}

const SIDES = /from \(\s*(select (?:(?!select source).)*?)\s+intersect\s+(select .*?)\s+order by/s;

/** Counts the entries of both lists between the place and the stop of a statement. */
function countEntries({ sql, parameters }: RunQuery): number[] {
  const [, ...sides] = SIDES.exec(sql) ?? [];
  if (sides.length !== 2) throw new Error(`no sides: ${sql}`);
  let from = 0;
  return sides.map((side) => {
    from = sql.indexOf(side, from);
    const first = countSlots(sql.slice(0, from));
    const values = parameters.slice(first, first + countSlots(side));
    from += side.length;
    return Number(database.prepare(`select count(*) from (${side})`).pluck().get(values));
  });
}

function countSlots(sql: string): number {
  return sql.split("?").length - 1;
}
