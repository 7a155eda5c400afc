import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { ContentPlace } from "../../../src/storage/delivery-store.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import type { Store } from "../../../src/storage/store.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createListInMemory } from "../list-in-memory.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { createStoreOver } from "./one-connection.ts";

const { HIDDEN, PUBLISHED } = Visibility;

/** The numbers of events that start together: on their own, on a page, on several, and more than a step tests. */
const TOGETHER = [1, 1, 3, 1, 40, 1, 500, 2, 300, 1];

const EVENTS = TOGETHER.flatMap((count, time) =>
  Array.from({ length: count }, (_, index) =>
    createEvent(`event-${String((index * 7 + time) % 1_009).padStart(4, "0")}-${time}`, {
      contentType: index % 3 === 0 ? "show" : "match",
      visibility: index % 5 === 4 ? HIDDEN : PUBLISHED,
      startTime: { seconds: 1_781_049_600n + BigInt(time * 3_600) },
      fields: { number: index % 50 },
    }),
  ),
);
const listInMemory = createListInMemory(EVENTS);

let store: Store;
beforeAll(async () => {
  const database = new Database(":memory:");
  migrate(database);
  store = createStoreOver(database);
  await loadDataset(store, createSmallDataset({ events: EVENTS }));
});
afterAll(() => store.close());

test.each([
  ["", 20, [PUBLISHED]],
  ["content_type: match", 1, [PUBLISHED]],
  ["content_type: match", 20, [PUBLISHED, HIDDEN]],
  ["content_type: match and fields.number >= 10", 20, [PUBLISHED]],
  ["content_type: match and fields.number >= 10", 200, [PUBLISHED, HIDDEN]],
  ["content_type: match and fields.number >= 49", 5, [PUBLISHED, HIDDEN]],
  ["fields.number >= 48", 3, [HIDDEN]],
])(
  "pages of the newest are complete where many start together: '%s', %i",
  async (text, limit, visibilities) => {
    const list = {
      ...{ filter: parseKql(text), words: [], visibilities, now: new Date("2026-06-12T12:00:00Z") },
      order: { field: "start_time", direction: "desc" as const },
    };
    const got: string[] = [];
    let after: ContentPlace | undefined;
    do {
      const query = { ...list, projectId: ALPHA, limit, ...(after && { after }) };
      const page = await store.events.list(query);
      got.push(...page.entries.map(({ item }) => item.id));
      after = page.next;
    } while (after !== undefined);
    expect(got).toEqual(listInMemory(list).map(({ id }) => id));
    expect(got.length).toBeGreaterThan(limit);
  },
);
