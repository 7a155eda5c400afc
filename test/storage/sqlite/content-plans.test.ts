import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { ContentPlace, ContentQuery } from "../../../src/storage/delivery-store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const COUNT = 6_000;

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(async () => {
  database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database, (query) => queries.push(query));
  await loadDataset(
    store,
    createSmallDataset({
      events: Array.from({ length: COUNT }, (_, number) =>
        createEvent(`event-${String(number).padStart(4, "0")}`, {
          contentType: number % 5 === 0 ? "show" : "match",
          visibility: number % 10 === 9 ? Visibility.HIDDEN : Visibility.PUBLISHED,
          startTime: { seconds: BigInt(1_780_272_000 + ((number * 7_919) % COUNT) * 60) },
          createTime: { seconds: 1_767_225_600n },
          title: { en: `Game ${(number * 31) % COUNT}` },
          entityIds: [`team-${number % 50}`, `team-${(number * 3) % 50}`],
          fields: { number, rare: `r${Math.floor(number / 10)}` },
        }),
      ),
    }),
  );
}, 60_000);
afterAll(() => store.close());

const FILTERS = [
  "",
  "content_type: match",
  "fields.rare: r7",
  "entity_ids: team-7 and content_type: match",
  "fields.number >= 3000 and content_type: match",
  'start_time >= "2026-06-03" and content_type: match',
  "entity_ids: (team-1 or team-2 or team-3 or team-4)",
  "not content_type: match",
  "title.en: Game 1*",
  "title.en: *77*",
  "fields.rare: *",
  "id: (event-0001 or event-0002)",
  "fields:{number < 10}",
  "Game*",
];
const ORDERS = ["start_time", "create_time", "update_time", "id", "title.en"];

describe("no list reads a whole table", () => {
  for (const filter of FILTERS) {
    for (const field of ORDERS) {
      for (const direction of ["asc", "desc"] as const) {
        test(`${filter || "everything"}, by ${field} ${direction}`, async () => {
          const query: ContentQuery = {
            projectId: ALPHA,
            visibilities: [Visibility.PUBLISHED],
            filter: parseKql(filter),
            words: [],
            order: { field, direction },
            limit: 20,
            now: new Date(0),
          };
          let after: ContentPlace | undefined;
          for (let page = 0; page < 2; page += 1) {
            queries = [];
            const { next } = await store.events.list({ ...query, ...(after && { after }) });
            for (const step of queries.flatMap(explain)) {
              expect(step).not.toMatch(/\bSCAN (?!CONSTANT ROW|\(subquery|\d+ CONSTANT)/);
              expect(step).not.toMatch(/USE TEMP B-TREE FOR ORDER BY/);
            }
            after = next;
          }
        });
      }
    }
  }
});

test("items are looked up by id with one seek for each, whatever the visibilities", async () => {
  queries = [];
  const visibilities = [Visibility.PUBLISHED, Visibility.HIDDEN];
  const scope = { projectId: ALPHA, visibilities };
  const found = await store.events.getMany({ ...scope, ids: ["event-0001", "event-0009"] });
  expect(found.map(({ id }) => id)).toEqual(["event-0001", "event-0009"]);
  const index = "sqlite_autoindex_content_1 (organization_id=? AND kind=? AND id=?)";
  expect(queries.slice(-1).flatMap(explain)).toEqual([`SEARCH content USING INDEX ${index}`]);
});

/**
 * The steps of a query, without those of its own subqueries: what is read of one is what it made. What
 * is sorted in memory is what one clause found, and that is counted before; or a page, or one of each of several
 * posting lists, which is short.
 */
function explain({ sql, parameters }: RunQuery): string[] {
  const steps = database
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...parameters)
    .map((row) => row.detail);
  const made = steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(step)?.[1] ?? []);
  const sorting = ["as sorted", "order by source.key is null", "select distinct source.sort_time"];
  const isOfFound = sorting.some((part) => sql.includes(part));
  return steps.filter(
    (step) =>
      !made.some((name) => step === `SCAN ${name}`) &&
      !(isOfFound && step.startsWith("USE TEMP B-TREE")),
  );
}
