import { type JsonObject, toJson } from "@bufbuild/protobuf";
import Database from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { listWords } from "../../../src/storage/content/content-rows.ts";
import { isIndexed, VALUE_LENGTH } from "../../../src/storage/content/indexed-fields.ts";
import { toLeafRows } from "../../../src/storage/content/leaf-rows.ts";
import { timeColumn } from "../../../src/storage/db/times.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { createStoreOver } from "./one-connection.ts";

const scalar = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "Ünï côde",
    "a\u0000b",
    "\ud800",
    "x".repeat(300),
    "2026-06-11T18:00:00.5Z",
  ),
  fc.constantFrom<number | boolean | null>(0, -0, 1.5, -1e300, true, false, null),
);
const { json } = fc.letrec<{ json: unknown; object: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small" },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom("a", "b", "a.b", "\u0000"), tie("json"), { maxKeys: 3 }),
}));
const MANY = Array.from({ length: 120 }, (_, at) => at % 50);
const time = fc.record({
  seconds: fc.constantFrom(-62_135_596_800n, -1n, 0n, 951_868_799n, 253_402_300_799n),
  nanos: fc.constantFrom(0, 0, 1, 500_000_000),
});
const form = fc.record({
  title: fc.dictionary(fc.constantFrom("en", "de"), fc.constantFrom("Final", "Über uns")),
  description: fc.constantFrom({}, { en: "Long text" }),
  entityIds: fc.array(fc.constantFrom("x", "y"), { maxLength: 3 }),
  startTime: fc.option(time, { nil: undefined }),
  updateTime: fc.option(time, { nil: undefined }),
  visibility: fc.constantFrom(Visibility.PUBLISHED, Visibility.HIDDEN),
  // An item of many values is changed entry by entry.
  fields: fc.record({ free: json, many: fc.constantFrom<unknown>(0, MANY) }),
});
/** Forms of events, each with the numbers of its events: many of one form are written by one statement. */
const forms = fc.array(
  fc.record({ form, numbers: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }) }),
  { minLength: 1, maxLength: 3 },
);

type Forms = typeof forms extends fc.Arbitrary<infer T> ? T : never;

function toEvents(all: Forms, contentType: string): Event[] {
  return all.flatMap(({ form, numbers }) =>
    numbers.map((number) =>
      createEvent(`e${number}`, {
        ...form,
        projectId: ALPHA,
        contentType,
        fields: { ...form.fields, number } as JsonObject,
      } as never),
    ),
  );
}

/** Leaves every second event where it is stored, so that its entries can stay. */
function keepPlace(event: Event, stored: Event | undefined): Event {
  const isKept = stored !== undefined && Number(event.id.slice(1)) % 2 === 0;
  if (!isKept) return event;
  const { visibility, startTime } = stored;
  return { ...event, visibility, ...(startTime && { startTime }) };
}

/** The rows of content as tables hold them, but for the numbers of items and paths; positions are those in a path. */
function readRows(database: Database.Database) {
  const read = (query: string) => database.prepare(query).raw().all() as unknown[][];
  const path = "join content_path using (path)";
  return toSorted({
    content: read("select id, visibility, sort_time, create_time, update_time, doc from content"),
    leaves: read(
      `select id, name, row_number() over (partition by item, path order by position) - 1, key, text
      from content_leaf join content using (item) ${path}`,
    ),
    values: read(`select it.id, name, it.visibility, value, it.sort_time, content.id
      from content_value as it join content using (item) ${path}`),
    words: read(`select id, word, it.visibility from content_word as it
      join content on content.item = it.item and content.collection = it.collection`),
    strays: read(`select item from content_leaf union select item from content_value
      union select item from content_word
      except select item from content`),
  });
}

/** The same rows, one by one from the messages. */
function listRows(events: readonly Event[]) {
  const rows = events.map((event) => {
    const doc = toJson(EventSchema, event) as JsonObject;
    const named = Object.fromEntries(
      EventSchema.fields.flatMap(({ jsonName, name }) =>
        jsonName in doc ? [[name, doc[jsonName]]] : [],
      ),
    );
    const leaves = toLeafRows(named);
    const { id, visibility } = event;
    const sortTime = timeColumn(event.startTime);
    const values = leaves
      .filter(({ path }) => isIndexed(path))
      .map(({ path, key }) => [path, visibility, Array.from(key).slice(0, VALUE_LENGTH).join("")]);
    const distinct = new Map(values.map((it) => [JSON.stringify(it), it]));
    const times = [sortTime, timeColumn(event.createTime), timeColumn(event.updateTime)];
    return {
      content: [[id, visibility, ...times, JSON.stringify(doc)]],
      leaves: leaves.map((leaf, index) => {
        const before = leaves.slice(0, index).filter(({ path }) => path === leaf.path);
        return [id, leaf.path, before.length, leaf.key, leaf.text];
      }),
      values: [...distinct.values()].map((it) => [id, ...it, sortTime, id]),
      words: listWords(doc).map((word) => [id, word, visibility]),
      strays: [],
    };
  });
  const all = (name: keyof (typeof rows)[number]) => rows.flatMap((it): unknown[][] => it[name]);
  return toSorted({
    content: all("content"),
    leaves: all("leaves"),
    values: all("values"),
    words: all("words"),
    strays: all("strays"),
  });
}

function toSorted(tables: Readonly<Record<string, readonly unknown[][]>>) {
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [
      name,
      rows.map((it) => JSON.stringify(it)).sort(),
    ]),
  );
}

/** Returns a database without content as bytes, which are opened anew in less time than it takes to migrate. */
async function createEmpty(): Promise<Buffer> {
  const database = new Database(":memory:");
  migrate(database);
  const store = createStoreOver(database);
  await loadDataset(store, createSmallDataset({ events: [], creativeWorks: [], entities: [] }));
  const bytes = database.serialize();
  await store.close();
  return bytes;
}

test("an import writes for every item the rows that the item alone has", async () => {
  const empty = await createEmpty();
  await fc.assert(
    fc.asyncProperty(forms, forms, async (first, second) => {
      const database = new Database(empty);
      const store = createStoreOver(database);
      try {
        const stored = new Map<string, Event>();
        for (const made of [toEvents(first, "old"), toEvents(second, "new")]) {
          const events = made.map((event) => keepPlace(event, stored.get(event.id)));
          const records = events.map((message) => ({ kind: "event", message, line: 1 }) as const);
          await store.importRecords([records]);
          for (const event of events) stored.set(event.id, event);
          expect(readRows(database)).toEqual(listRows([...stored.values()]));
        }
      } finally {
        await store.close();
      }
    }),
    { numRuns: 30 },
  );
});
