import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import type { ContentQuery } from "../../src/storage/contract/content-store.ts";
import type { Db } from "../../src/storage/db/db.ts";
import { compile } from "../../src/storage/db/query.ts";
import { PostgresReads } from "../../src/storage/postgres/postgres-reads.ts";
import { POSTGRES_COMPILER } from "../../src/storage/postgres/query-compiler.ts";
import { SQLITE_COMPILER, SqliteReader } from "../../src/storage/sqlite/sqlite-db.ts";
import { ENGINE, type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { ALPHA, createEvent, createSmallDataset } from "./small-dataset.ts";

// Case 5 of windows: a list of a project without windows runs the statements that it would run if there were none, with
// the same values and so the same plans, and one more for each collection and revision.

const events = Array.from({ length: 50 }, (_, number) =>
  createEvent(`event-${number}`, {
    contentType: number % 2 === 0 ? "match" : "show",
    visibility: Visibility.PUBLISHED,
    title: { en: `Game ${number % 5}` },
  }),
);
const now = new Date("2026-12-01T00:00:00Z");
const BOUND = { time: now, limitUntil: () => {} };
const QUERIES: readonly Partial<ContentQuery>[] = [
  {},
  { filter: parseKql("content_type: match") },
  { filter: parseKql("content_type: show or title.en: *3") },
  { words: ["game"], order: { field: "title.en", direction: "desc" } },
];

const [prototype, compiler] =
  ENGINE === "sqlite"
    ? ([SqliteReader.prototype, SQLITE_COMPILER] as const)
    : ([PostgresReads.prototype, POSTGRES_COMPILER] as const);
const spy = vi.spyOn(prototype as Db, "all");

let fresh: FreshStore;
beforeAll(async () => {
  fresh = await openFresh(createSmallDataset({ events }));
});
afterAll(() => fresh.close());
beforeEach(async () => {
  // A new revision, whose collection is then in memory.
  const { event } = fresh.store.in("acme").documents;
  await event.update("event-1", ({ value }) => ({ ...value, title: { en: `${Math.random()}` } }));
  await listStatements({});
});

/** Lists events, within their windows with `BOUND`; returns the statements with their values. */
async function listStatements(query: Partial<ContentQuery>, at?: typeof BOUND) {
  spy.mockClear();
  const { entries } = await fresh.store.events.list({
    ...{ projectId: ALPHA, visibilities: [Visibility.PUBLISHED], words: [], limit: 9, now },
    order: { field: "id", direction: "asc" },
    ...{ at, ...query },
  });
  expect(entries.length).toBeGreaterThan(0);
  return spy.mock.calls.map(([statement]) => compile(statement, compiler));
}

test("case 5: the first list of a revision runs one statement more, which reads the windows", async () => {
  const before = await listStatements({});
  const first = await listStatements({}, BOUND);
  const more = first.filter(({ text }) => text.includes("content_path"));
  expect([before.length > 0, more.length]).toEqual([true, 1]);
  expect(first.filter((it) => !more.includes(it))).toEqual(before);
});

test("case 5: further lists of a revision run the same statements as without windows", async () => {
  await listStatements({}, BOUND);
  for (const query of QUERIES) {
    expect(await listStatements(query, BOUND)).toEqual(await listStatements(query));
  }
});
