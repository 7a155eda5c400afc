import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { createStoreOver, type RunQuery } from "./one-connection.ts";

const SCOPE = { projectId: "p", visibilities: [Visibility.PUBLISHED], limit: 20 };
const ANNOTATION_PLACE = { offset: 1_000_000, order: 1n, id: "a" };
const OFFER_PLACE = { position: 1, id: "o" };

let database: Database.Database;
let store: Store;
let queries: RunQuery[] = [];

beforeAll(() => {
  database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database, (query) => queries.push(query));
});
afterAll(() => store.close());

const START = "project_id=? AND visibility=?";
const VIDEO = "annotation_by_video (project_id=? AND video_id=? AND visibility=?";
const EVENT = "annotation_by_event (project_id=? AND event_id=? AND visibility=?";
const SLUG = "sqlite_autoindex_page_2 (project_id=?";
const BEHIND = " AND (moment,sort_order,id)>(?,?,?))";

const LISTS: readonly (readonly [string, () => Promise<unknown>, string])[] = [
  [
    "the annotations of a video",
    () => store.annotations.list({ ...SCOPE, videoId: "v" }),
    `annotation USING INDEX ${VIDEO})`,
  ],
  [
    "a deep page of the annotations of a video",
    () => store.annotations.list({ ...SCOPE, videoId: "v", after: ANNOTATION_PLACE }),
    `annotation USING INDEX ${VIDEO}${BEHIND}`,
  ],
  [
    "a deep page of the annotations of an event",
    () => store.annotations.list({ ...SCOPE, eventId: "e", after: ANNOTATION_PLACE }),
    `annotation USING INDEX ${EVENT}${BEHIND}`,
  ],
  ["the offers", () => store.offers.list(SCOPE), `offer USING INDEX offer_by_position (${START})`],
  [
    "a deep page of offers",
    () => store.offers.list({ ...SCOPE, after: OFFER_PLACE }),
    `offer USING INDEX offer_by_position (${START} AND (position,id)>(?,?))`,
  ],
  ["the pages", () => store.pages.list(SCOPE), `page USING INDEX ${SLUG})`],
  [
    "a deep page of pages",
    () => store.pages.list({ ...SCOPE, after: "s" }),
    `page USING INDEX ${SLUG} AND slug>?)`,
  ],
  [
    "the rulesets of a project",
    () => store.rulesets.list("p"),
    "ruleset USING INDEX ruleset_by_project (project_id=?)",
  ],
];

for (const [name, list, want] of LISTS) {
  test(`${name}: one index range that begins at its place, no sort`, async () => {
    queries = [];
    await list();
    const plans = queries.map(({ sql, parameters }) =>
      database
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map((row) => row.detail),
    );
    expect(plans).toEqual([[`SEARCH ${want}`]]);
  });
}
