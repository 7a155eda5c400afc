import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { openPostgresStore } from "../../../src/storage/postgres/open.ts";
import { ENGINE } from "../../harness/engine.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createDatabase, dropDatabase } from "../../harness/postgres-databases.ts";
import { createListInMemory } from "../list-in-memory.ts";
import { listIdsInPages } from "../list-in-pages.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";

const { PUBLISHED, HIDDEN } = Visibility;
const NOW = new Date("2026-06-12T12:00:00Z");
const COUNT = 1_500;

/** Events in the order of their times: seven at a time, 300 at one time, the last 300 without. */
const EVENTS = Array.from({ length: COUNT }, (_, number) => {
  const place = number >= 300 && number < 600 ? 300 : number;
  const tags = [2, 3, 5].filter((it) => number % it === 0).map((it) => `of-${it}`);
  return createEvent(`event-${String((number * 7_919) % COUNT).padStart(4, "0")}`, {
    visibility: number % 10 === 9 ? HIDDEN : PUBLISHED,
    ...(number < 1_200 && {
      startTime: { seconds: BigInt(1_780_272_000 + Math.floor(place / 7) * 60) },
    }),
    title: { en: `Game ${number % 40}` },
    contentType: number % 4 === 0 ? "show" : "match",
    fields: { tags, code: [7, "7", 8][number % 3] ?? 0 },
  });
});

/** A clause that every event meets, with so many values that a step tests a tenth of the items. */
const COSTLY = `not fields.none: (${Array.from({ length: 80 }, (_, it) => `n${it}`).join(" or ")})`;

const FILTERS = [
  "fields.tags: (of-2 or of-3 or of-5)",
  'fields.code: "7"',
  "fields.tags: of-5 or content_type: show",
  `fields.tags: of-2 and fields.tags: of-3 and ${COSTLY}`,
  `fields.tags: of-3 and fields.code: "7" and content_type: match and ${COSTLY}`,
  "content_type: show",
];

const listInMemory = createListInMemory(EVENTS);

describe.runIf(ENGINE === "postgres")("lists of content on PostgreSQL", () => {
  let store: Store;
  let texts: string[] = [];
  let drop = async () => {};

  beforeAll(async () => {
    const { name, url } = await createDatabase("empty");
    class Client extends pg.Client {
      override query(...args: [never]) {
        const [{ text = "" }] = args as [{ text?: string }];
        texts.push(text);
        return super.query(...args);
      }
    }
    store = await openPostgresStore(
      { engine: "postgres", url },
      { Client: Client as unknown as typeof pg.Client },
    );
    await loadDataset(store, createSmallDataset({ events: EVENTS }));
    drop = () => dropDatabase(name);
  });
  afterAll(async () => {
    await store.close();
    await drop();
  });

  for (const filter of FILTERS) {
    for (const field of ["start_time", "title.en"]) {
      for (const direction of ["asc", "desc"] as const) {
        test(`${filter.slice(0, 50)}, by ${field} ${direction}`, async () => {
          for (const visibilities of [[PUBLISHED], [PUBLISHED, HIDDEN]]) {
            const query = {
              ...{ filter: parseKql(filter), words: [], at: undefined, visibilities, now: NOW },
              order: { field, direction },
            };
            const ids = await listIdsInPages(store, query, [19, 400]);
            expect(ids).toEqual(listInMemory(query).map(({ id }) => id));
          }
        });
      }
    }
  }

  test("are read in one statement of several values, and in two of two that are joined", async () => {
    const count = async (filter: string) => {
      texts = [];
      await store.events.list({
        ...{
          projectId: ALPHA,
          at: undefined,
          visibilities: [PUBLISHED],
          words: [],
          limit: 20,
          now: NOW,
        },
        ...{ filter: parseKql(filter), order: { field: "start_time", direction: "asc" } },
      });
      return texts.filter((text) => text.includes("content_value")).length;
    };
    expect(await count("fields.tags: (of-2 or of-3)")).toBe(1);
    expect(await count("fields.tags: of-2 and fields.tags: of-3")).toBe(2);
  });
});
