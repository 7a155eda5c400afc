import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { ContentKind } from "../../../src/domain/content/order.ts";
import { toWords } from "../../../src/domain/content/search.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { RecordItem } from "../../../src/domain/records/record.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../../../src/storage/open.ts";
import { openDatabase } from "../../harness/database.ts";
import { revisionOf } from "../../harness/revision.ts";
import { listEventIds } from "../list-in-pages.ts";
import { createLongText } from "../long-text.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { PUBLISHED, HIDDEN } = Visibility;

/** Holds an engine to `RecordImport`, as far as content goes. */
export function importContract(scenario: Scenario): void {
  scenario("content is created, replaced or left alone, by its id", SMALL, async (store) => {
    const before = [game("a", { contentType: "match" }), game("b"), game("c")];
    expect(await importAll(store, before)).toEqual({ created: 3, updated: 0, unchanged: 0 });
    const after = [game("a", { contentType: "show" }), game("b"), game("d")];
    expect(await importAll(store, after)).toEqual({ created: 1, updated: 1, unchanged: 1 });
    expect(await listEventIds(store)).toEqual(["a", "b", "c", "d"]);
    const got = await store.events.get({ ...SCOPE, id: "a" });
    expect(JSON.parse(got.json).contentType).toBe("show");
  });

  scenario("an item is found by its first 5,000 words", SMALL, async (store) => {
    const words = Array.from({ length: 60_000 }, (_, at) => `word${String(at).padStart(16, "0")}`);
    const [first = "", last = "", past = ""] = [words[0], words[4_998], words[4_999]];
    const long = game("long", { title: { en: "Long" }, description: { en: words.join(" ") } });
    await importAll(store, [long, game("short", { title: { en: `${first} brief` } })]);
    const searches: readonly (readonly [words: string[], want: string[]])[] = [
      [["long"], ["long"]],
      [[last], ["long"]],
      [[past], []],
      [[first], ["long", "short"]],
      [[last, first], ["long"]],
      [["word00000000000049"], ["long"]],
      [[last, "brief"], []],
    ];
    for (const [words, want] of searches) {
      expect(await listEventIds(store, { words }), words.join(" ")).toEqual(want);
    }
    await importAll(store, [game("long")]);
    expect(await listEventIds(store, { words: [last] })).toEqual([]);
  });

  scenario("a word is found in any case", SMALL, async (store) => {
    const titles = { a: "Größe", b: "GRÖSSE", c: "grosse", d: "Grösser" };
    const games = Object.entries(titles).map(([id, de]) => game(id, { title: { de } }));
    await importAll(store, games);
    for (const search of ["GRÖSSE", "größe", "GRÖẞE", "Grosse"]) {
      expect(await listEventIds(store, { words: toWords(search) }), search).toEqual([
        "a",
        "b",
        "c",
        "d",
      ]);
    }
  });

  scenario("names, values, words and ids may be long", SMALL, async (store) => {
    // Two names that differ at their ends only.
    const [outer, inner, word] = ["a", "b", "c"].map((name) => createLongText(name, 256));
    const id = createLongText("id", 400);
    const names = ["x", "y"].map((end) => `${createLongText("d", 255)}${end}`);
    const inside = Object.fromEntries(names.map((name, index) => [name, `${id}${index}`]));
    const fields = { [`${outer}`]: { [`${inner}`]: inside } };
    const long = game(id, { fields, title: { en: `${word} ${id}` } });
    await importAll(store, [long, game("b")]);
    await importAll(store, [long, game("b")]);
    for (const text of [word, id]) {
      expect(await listEventIds(store, { words: toWords(`${text}`) })).toEqual([id]);
    }
    for (const [index, name] of names.entries()) {
      for (const [value, want] of [
        [`${id}${index}`, [id]],
        [`${id}${1 - index}`, []],
      ] as const) {
        const filter = parseKql(`"fields.${outer}.${inner}.${name}": "${value}"`);
        expect(await listEventIds(store, { filter })).toEqual(want);
      }
    }
    expect((await store.events.get({ ...SCOPE, id })).id).toBe(id);
  });

  for (const [name, old, filter, words] of [
    ["a value", { contentType: "old" }, "content_type: old", []],
    ["a value of a list", { entityIds: ["x", "y"] }, "entity_ids: y", []],
    ["a path", { fields: { only: 1 } }, "fields.only: *", []],
    ["a range", { fields: { number: 70 } }, "fields.number >= 60", []],
    ["an object", { fields: { list: [{ a: 1, b: 2 }] } }, "fields.list: {a: 1 and b: 2}", []],
    ["a long text", { fields: { long: "a".repeat(300) } }, `fields.long: ${"a".repeat(300)}`, []],
    ["a time", { startTime: { seconds: 99n } }, 'start_time <= "1970-01-02"', []],
    ["a word", { title: { en: "Zebra" } }, "", ["zebra"]],
    ["a start of a word", { title: { en: "Zebra" } }, "", ["zeb"]],
  ] as const) {
    scenario(`a replaced item is no longer found by ${name}`, SMALL, async (store) => {
      const changes = old as Parameters<typeof createEvent>[1];
      await importAll(store, [game("a", changes), game("b", changes)]);
      const query = { filter: parseKql(filter), words };
      expect(await listEventIds(store, query)).toEqual(["a", "b"]);
      await importAll(store, [game("a")]);
      expect(await listEventIds(store, query)).toEqual(["b"]);
      await importAll(store, [game("a", changes)]);
      expect(await listEventIds(store, query)).toEqual(["a", "b"]);
    });
  }

  scenario("a replaced item leaves its visibility and its place", SMALL, async (store) => {
    await importAll(store, [game("a"), game("b", { startTime: { seconds: 5n } })]);
    await importAll(store, [game("a", { visibility: HIDDEN }), game("b")]);
    expect(await listEventIds(store)).toEqual(["b"]);
    expect(await listEventIds(store, { at: undefined, visibilities: [HIDDEN] })).toEqual(["a"]);
    for (const field of ["start_time", "create_time", "update_time", "id", "title.en"]) {
      for (const direction of ["asc", "desc"] as const) {
        expect(await listEventIds(store, { order: { field, direction } })).toEqual(["b"]);
      }
    }
  });

  scenario("of an id that comes twice the later item stays", SMALL, async (store) => {
    const [one, two, three] = ["one", "two", "three"].map((it) => game("a", { contentType: it }));
    if (!one || !two || !three) throw new Error("three items");
    const want = { created: 1, updated: 2, unchanged: 1 };
    expect(await importBatches(store, [[one, two, two], [three]], { isDryRun: true })).toEqual(
      want,
    );
    expect(await importBatches(store, [[one, two, two], [three]])).toEqual(want);
    for (const [type, ids] of [
      ["one", []],
      ["two", []],
      ["three", ["a"]],
    ] as const) {
      expect(await listEventIds(store, { filter: parseKql(`content_type: ${type}`) })).toEqual(ids);
    }
  });

  scenario("ids are those of a kind, byte for byte", SMALL, async (store) => {
    const work = create(CreativeWorkSchema, { id: "a", projectId: ALPHA, visibility: PUBLISHED });
    const summary = await importAll(store, [game("a"), game("A"), work]);
    expect(summary).toEqual({ created: 3, updated: 0, unchanged: 0 });
    expect(await listEventIds(store)).toEqual(["A", "a"]);
  });

  scenario("an id of another project is rejected, and nothing is written", SMALL, async (store) => {
    await importAll(store, [game("taken")]);
    const items = [game("new"), game("taken", { projectId: BETA })];
    for (const isDryRun of [false, true]) {
      await expect(importAll(store, items, { isDryRun })).rejects.toMatchObject({
        code: Code.ALREADY_EXISTS,
        message: expect.stringMatching(/line 2: event\.id: taken belongs to another project/),
      });
    }
    expect(await listEventIds(store)).toEqual(["taken"]);
    expect(await listEventIds(store, { projectId: BETA })).toEqual([]);
  });

  scenario("a project must exist, also where nothing comes", SMALL, async (store) => {
    const notFound = { code: Code.NOT_FOUND, message: expect.stringContaining("nobody") };
    for (const isDryRun of [false, true]) {
      const items = [game("a"), game("b", { projectId: "nobody" })];
      await expect(importAll(store, items, { isDryRun })).rejects.toMatchObject(notFound);
      const options = { isDryRun, projectId: "nobody" };
      await expect(importAll(store, [], options)).rejects.toMatchObject(notFound);
    }
    expect(await listEventIds(store)).toEqual([]);
    expect(await importAll(store, [])).toEqual({ created: 0, updated: 0, unchanged: 0 });
  });

  scenario("batches that throw leave nothing behind", SMALL, async (store) => {
    await importAll(store, [game("a")]);
    const revision = await revisionOf(store, ALPHA);
    const error = new Error("the file ended");
    async function* batches(): AsyncGenerator<readonly RecordItem[]> {
      yield* toBatches([game("a", { contentType: "other" }), game("b")]);
      yield* toBatches([game("c")]);
      throw error;
    }
    await expect(store.importRecords(batches())).rejects.toBe(error);
    expect(await listEventIds(store)).toEqual(["a"]);
    expect(await listEventIds(store, { filter: parseKql("content_type: other") })).toEqual([]);
    expect(await revisionOf(store, ALPHA)).toBe(revision);
    expect(await importAll(store, [game("b")])).toMatchObject({ created: 1 });
    expect(await listEventIds(store, { filter: parseKql("content_type: match") })).toEqual([
      "a",
      "b",
    ]);
  });

  scenario("the revision of each changed project moves by one step", SMALL, async (store) => {
    const revisions = () => Promise.all([ALPHA, BETA].map((id) => revisionOf(store, id)));
    const [alpha = 0, beta = 0] = await revisions();
    await importBatches(store, [[game("a"), game("b")], [game("c")]]);
    expect(await revisions()).toEqual([alpha + 1, beta]);
    await importAll(store, [game("a"), game("b")]);
    await importAll(store, [game("z")], { isDryRun: true });
    expect(await revisions()).toEqual([alpha + 1, beta]);
    await importAll(store, [game("x", { projectId: BETA }), game("a", { contentType: "x" })]);
    expect(await revisions()).toEqual([alpha + 2, beta + 1]);
  });

  scenario("a dry run decides the same and writes nothing", SMALL, async (store) => {
    await importAll(store, [game("a"), game("b")]);
    const [version, revision] = [store.accessVersion(), await revisionOf(store, ALPHA)];
    const items = [game("b"), game("c"), game("a", { contentType: "x" })];
    const heard: string[] = [];
    const options = {
      isDryRun: true,
      onRecord: (item: { id: string }, outcome: string) => heard.push(`${outcome} ${item.id}`),
    };
    const want = { created: 1, updated: 1, unchanged: 1 };
    expect(await importAll(store, items, options)).toEqual(want);
    expect(heard).toEqual(["unchanged b", "created c", "updated a"]);
    expect(await listEventIds(store)).toEqual(["a", "b"]);
    expect([store.accessVersion(), await revisionOf(store, ALPHA)]).toEqual([version, revision]);
    heard.length = 0;
    expect(await importAll(store, items, { ...options, isDryRun: false })).toEqual(want);
    expect(heard).toEqual(["unchanged b", "created c", "updated a"]);
  });

  scenario("an item may have very many paths", SMALL, async (store, { address }) => {
    const numbers = Array.from({ length: 33_000 }, (_, number) => number);
    await importAll(store, [game("b")]);
    // Each new path takes a statement of its own: all but the last ones have numbers before.
    await numberPaths(address, "event", numbers.slice(0, -100).map(nameOf));
    const fields = Object.fromEntries(numbers.map((number) => [`key-${number}`, number]));
    await importAll(store, [game("a", { fields })]);
    for (const number of [0, 32_899, 32_900, 32_999]) {
      const filter = parseKql(`${nameOf(number)}: ${number}`);
      expect(await listEventIds(store, { filter }), `${number}`).toEqual(["a"]);
    }
  });

  scenario("readers see all of it or nothing", SMALL, async (store, fresh) => {
    const other = await fresh.openAnother();
    async function* batches(): AsyncGenerator<readonly RecordItem[]> {
      yield* toBatches([game("a")]);
      expect(await listEventIds(store)).toEqual([]);
      expect(await listEventIds(other)).toEqual([]);
      yield* toBatches([game("b")]);
    }
    await store.importRecords(batches());
    expect(await listEventIds(store)).toEqual(["a", "b"]);
    expect(await listEventIds(other)).toEqual(["a", "b"]);
  });

  scenario("two writers are as one after the other", SMALL, async (store, fresh) => {
    const other = await fresh.openAnother();
    const sets = [store, other].map((_, set) =>
      Array.from({ length: 300 }, (_, index) => game(`e${index}`, { contentType: `by-${set}` })),
    );
    const [one = [], two = []] = sets;
    const summaries = await Promise.all([importAll(store, one), importAll(other, two)]);
    expect(summaries).toContainEqual({ created: 300, updated: 0, unchanged: 0 });
    expect(summaries).toContainEqual({ created: 0, updated: 300, unchanged: 0 });
    const found = await Promise.all(
      [0, 1].map((set) => listEventIds(store, { filter: parseKql(`content_type: by-${set}`) })),
    );
    expect(found.map((ids) => ids.length).sort()).toEqual([0, 300]);
  });
}

const SMALL = createSmallDataset({ events: [], creativeWorks: [], entities: [] });
const SCOPE = { projectId: ALPHA, at: undefined, visibilities: [PUBLISHED] };

function game(id: string, changes: Parameters<typeof createEvent>[1] = {}): Event {
  return createEvent(id, {
    projectId: ALPHA,
    visibility: PUBLISHED,
    contentType: "match",
    ...changes,
  });
}

const nameOf = (number: number) => `fields.key-${number}`;

/** Numbers paths of the one collection of a kind, as earlier items would have. */
async function numberPaths(
  address: DatabaseLocation,
  kind: ContentKind,
  names: readonly string[],
): Promise<void> {
  const db = openDatabase(address);
  const { collection } = await db
    .selectFrom("content_collection")
    .select("collection")
    .where("kind", "=", kind)
    .executeTakeFirstOrThrow();
  for (let from = 0; from < names.length; from += 5_000) {
    const rows = names.slice(from, from + 5_000).map((name) => ({ collection, name }));
    await db.insertInto("content_path").values(rows).execute();
  }
  await db.destroy();
}

function toBatches(messages: readonly (Event | CreativeWork)[]): (readonly RecordItem[])[] {
  return [
    messages.map((message, index) => ({
      kind: message.$typeName === "svc.cda.cms.event.v1.Event" ? "event" : "creative_work",
      message,
      line: index + 1,
    })),
  ];
}

type Options = Parameters<Store["importRecords"]>[1];

async function importBatches(
  store: Store,
  batches: readonly (readonly (Event | CreativeWork)[])[],
  options?: Options,
) {
  const prepared = batches.flatMap((messages) => [...toBatches(messages)]);
  const { created, updated, unchanged } = await store.importRecords(prepared, options);
  return { created, updated, unchanged };
}

function importAll(store: Store, messages: readonly (Event | CreativeWork)[], options?: Options) {
  return importBatches(store, messages.length === 0 ? [] : [messages], options);
}
