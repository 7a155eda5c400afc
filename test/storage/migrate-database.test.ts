import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { create } from "@bufbuild/protobuf";
import type Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import { CreativeWorkSchema } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { OfferSchema } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { createToken, hashToken } from "../../src/auth/token.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { DEFAULT_ORDERS } from "../../src/domain/content/order.ts";
import { listTables, type Row } from "../../src/storage/db/migrate-database.ts";
import { type DatabaseLocation, moveDatabase, openStore } from "../../src/storage/open.ts";
import { withPostgresTables } from "../../src/storage/postgres/table-access.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { withSqliteTables } from "../../src/storage/sqlite/table-access.ts";
import { inFile } from "../harness/database-file.ts";
import { send } from "../harness/http.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { startOver } from "../harness/marquee.ts";
import { createDatabase, queryDatabase } from "../harness/postgres-databases.ts";
import { copyTemplate } from "../harness/template-databases.ts";
import { createTestFolder } from "../harness/test-folder.ts";
import { addOddRows } from "./odd-rows.ts";
import { keepProjectKey } from "./project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "./small-dataset.ts";

let folder: string;
beforeEach(() => {
  folder = createTestFolder();
});

/** Returns the address of a new database of an engine; on PostgreSQL a copy of `template`. */
async function newDatabase(
  engine: DatabaseLocation["engine"],
  template = "empty",
): Promise<DatabaseLocation> {
  if (engine === "postgres") return { engine, url: (await createDatabase(template)).url };
  return { engine, path: join(folder, `move_${randomBytes(6).toString("hex")}.db`) };
}

/** Creates a database with a resource of every type, or with changes. */
async function createSmall(
  changes: Partial<Dataset> = { events: [createEvent("event-1", { fields: FIELDS })] },
): Promise<DatabaseLocation & { readonly engine: "sqlite" }> {
  const path = join(folder, "small.db");
  copyTemplate("empty", path);
  const store = openSqliteStore(path);
  await loadDataset(store, createSmallDataset(changes));
  await store.close();
  return { engine: "sqlite", path };
}

/** Fields with leaves in lists, of every type. */
const FIELDS = { tags: ["a", "b", 3, true, null], lists: [{ n: [1, 2] }] };

/** Reads all rows of all tables of a database file. */
async function dump({ path }: { readonly path: string }): Promise<ReadonlyMap<string, Row[]>> {
  return withSqliteTables(
    path,
    "source",
  )(async (database) => {
    const rows = new Map<string, Row[]>();
    for (const { name, columns } of await listTables(database)) {
      const all: Row[] = [];
      const query = `select ${columns.join()} from ${name} order by ${columns.join()}`;
      for await (const batch of database.read(query)) all.push(...batch);
      rows.set(name, all);
    }
    return rows;
  });
}

const isEmpty = async (address: DatabaseLocation) => {
  const store = await openStore(address);
  try {
    return await store.isEmpty();
  } finally {
    await store.close();
  }
};

test("both engines have the same tables, with the same columns", async () => {
  const list = (address: DatabaseLocation) => {
    const withTables =
      address.engine === "sqlite"
        ? withSqliteTables(address.path, "source")
        : withPostgresTables(address, "source");
    return withTables(async (database) =>
      (await listTables(database))
        .map(({ name, columns }) => ({ name, columns: columns.toSorted() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
  };
  const tables = await list(await createSmall());
  expect(tables.map(({ name }) => name)).toContain("lease");
  expect(await list(await newDatabase("postgres"))).toEqual(tables);
});

test("all rows survive a move through both engines as they are", async () => {
  const source = await createSmall();
  inFile(source.path, (content) => {
    inFile(`${source.path}-leases`, (leases) => addOddRows(content, leases));
  });
  const want = await dump(source);
  const engines = ["postgres", "postgres", "sqlite", "sqlite"] as const;
  let from: DatabaseLocation = source;
  for (const engine of engines) {
    const to = await newDatabase(engine, "template1");
    const { counts } = await moveDatabase(from, to, {});
    expect(counts.filter(([, rows]) => rows === 0)).toEqual([]);
    if (to.engine === "sqlite") {
      for (const [name, rows] of await dump(to)) {
        expect([name, isDeepStrictEqual(rows, want.get(name))]).toEqual([name, true]);
      }
    }
    from = to;
  }
});

const SHOWN = { projectId: ALPHA, visibility: Visibility.PUBLISHED };
const titled = (id: string, en: string) => ({ ...SHOWN, id, title: { en } });

/** What delivery reads, of every kind of list. */
const READABLE: Partial<Dataset> = {
  events: Array.from({ length: 12 }, (_, number) =>
    createEvent(`event-${number}`, {
      title: { en: `Match ${number}` },
      fields: { stage: number % 3 === 0 ? "knockout" : "group", tags: ["a", number] },
    }),
  ),
  entities: ["Spain", "Sparta", "Peru"].map((en) => create(EntitySchema, titled(en, en))),
  creativeWorks: ["The final: Spain", "The final"].map((en, index) =>
    create(CreativeWorkSchema, titled(`work-${index}`, en)),
  ),
  offers: [create(OfferSchema, { ...SHOWN, id: "pass", name: "Season pass" })],
  pages: [
    { page: create(PageSchema, { ...titled("home", "Home"), slug: "home" }), components: [] },
  ],
};

/** Reads of delivery, by method and message. */
const READS: readonly (readonly [method: string, message: object])[] = [
  ["cms.event.v1.EventService/ListEvents", { pageSize: 3 }],
  ["cms.event.v1.EventService/ListEvents", { filter: "id: event-1*", pageSize: 2 }],
  [
    "cms.event.v1.EventService/ListEvents",
    { filter: "fields.stage: knockout and not id: event-0" },
  ],
  ["cms.entity.v1.EntityService/ListEntities", { search: "spa", pageSize: 1 }],
  ["cms.creative_work.v1.CreativeWorkService/ListCreativeWorks", { search: "final spain" }],
  ["cms.event.v1.EventService/GetEvent", { id: "event-7" }],
  ["ott.page.v1.PageService/GetPage", { slug: "home" }],
  ["ott.page.v1.PageService/ListPages", {}],
  ["monetization.offer.v1.OfferService/ListOffers", {}],
];

test("a service responds on the other engine as before, with the same ETags, and numbers new items after the old ones", async () => {
  const source = await createSmall(READABLE);
  const key = createToken("public");
  const store = await openStore(source);
  await keepProjectKey(store, ALPHA, "public", hashToken(key));
  await store.close();
  // Before the move, as the first service creates the secret of page tokens.
  const want = await readAll(source, key);
  const postgres = await newDatabase("postgres");
  await moveDatabase(source, postgres, {});
  const sqlite = await newDatabase("sqlite");
  await moveDatabase(postgres, sqlite, {});
  expect(want.map(({ status }) => status)).toEqual(READS.map(() => 200));
  expect(want.filter(({ text }) => text.length < 60)).toEqual([]);
  for (const address of [postgres, sqlite]) {
    expect(await readAll(address, key)).toEqual(want);
    expect(await addEvent(address)).toBe(true);
  }
});

async function readAll(address: DatabaseLocation, key: string) {
  const store = await openStore(address);
  const clock = () => new Date("2026-06-20T12:00:00Z");
  const service = await startOver(store, { clock, runsActions: false });
  try {
    const responses = [];
    for (const [method, message] of READS) {
      const text = encodeURIComponent(JSON.stringify(message));
      const path = `/svc.cda.${method}?connect=v1&encoding=json&message=${text}`;
      const got = await send("GET", service.deliveryUrl + path, { token: key });
      responses.push({ method, status: got.status, text: got.text, etag: got.headers.get("etag") });
    }
    return responses;
  } finally {
    await service.close(1_000);
    await store.close();
  }
}

/** Creates an event; reports whether a search finds it, and those before it are as they were. */
async function addEvent(address: DatabaseLocation): Promise<boolean> {
  const store = await openStore(address);
  try {
    const title = { en: "Zebrafinch" };
    const event = create(EventSchema, {
      ...{ id: "new", projectId: ALPHA, title, visibility: Visibility.PUBLISHED },
    });
    const [project] = await store.access.locate("project", [ALPHA]);
    await store.in(project?.organizationId ?? "").documents.event.create(event);
    const { entries } = await store.events.list({
      ...{
        projectId: ALPHA,
        at: undefined,
        visibilities: [Visibility.PUBLISHED],
        words: ["zebrafinch"],
      },
      ...{ order: DEFAULT_ORDERS.event, limit: 5, now: new Date() },
    });
    return entries.length === 1;
  } finally {
    await store.close();
  }
}

describe("what the target cannot store is named, and nothing is moved", () => {
  const cases: readonly (readonly [string, (file: Database.Database) => void, RegExp])[] = [
    [
      "a text with NUL",
      (file) =>
        file.exec("update video set id = 'a' || char(0) where id = (select min(id) from video)"),
      /^the target cannot store the row organization_id [\w-]+, id a.? of table video$/,
    ],
    [
      "a number that is too large",
      (file) => file.exec("update content_leaf set position = 1 << 40 where position = 3"),
      /^the target cannot store the row item \d+, path \d+, position 1099511627776 of table content_leaf$/,
    ],
  ];
  test.each(cases)("%s", async (_, damage, message) => {
    const source = await createSmall();
    inFile(source.path, damage);
    const target = await newDatabase("postgres");
    await expect(moveDatabase(source, target, {})).rejects.toMatchObject({
      ...{ code: Code.FAILED_PRECONDITION, reason: "ROW_REFUSED" },
      message: expect.stringMatching(message),
    });
    expect(await isEmpty(target)).toBe(true);
  });

  test("a reference that the source lacks", async () => {
    const source = await createSmall();
    inFile(source.path, (file) => {
      file.pragma("foreign_keys = OFF");
      file.exec("update video set project_id = 'gone' where id = (select min(id) from video)");
    });
    for (const engine of ["postgres", "sqlite"] as const) {
      const target = await newDatabase(engine);
      await expect(moveDatabase(source, target, {})).rejects.toMatchObject({
        ...{ code: Code.FAILED_PRECONDITION, reason: "ROW_REFUSED" },
        message: expect.stringMatching(/cannot store the row organization_id.* of table video$/),
      });
      expect(await isEmpty(target)).toBe(true);
    }
  });
});

const DIFFERS = (table: string) => ({
  ...{ code: Code.INTERNAL, reason: "DATABASE_COPY_DIFFERS" },
  message: expect.stringContaining(`table ${table} differs in the target`),
});

describe("a target that changes what it is given is found out, and nothing is moved", () => {
  test.each([
    ["sqlite", "create trigger t after insert on video begin update video set revision = 99; end"],
    [
      "sqlite",
      "create trigger t after insert on video begin delete from video where id = new.id; end",
    ],
    [
      "postgres",
      "create function t() returns trigger language plpgsql as 'begin return null; end'; create trigger t before insert on video for each row execute function t()",
    ],
    [
      "postgres",
      "create function t() returns trigger language plpgsql as 'begin new.revision := 99; return new; end'; create trigger t before insert on video for each row execute function t()",
    ],
  ] as const)("%s: %s", async (engine, statement) => {
    const target = await newDatabase(engine);
    await (await openStore(target)).close();
    if (target.engine === "postgres") await queryDatabase(target.url, statement);
    else inFile(target.path, (file) => file.exec(statement));
    await expect(moveDatabase(await createSmall(), target, {})).rejects.toMatchObject(
      DIFFERS("video"),
    );
    expect(await isEmpty(target)).toBe(true);
  });
});

test("streams and rate counts in the target are no rows of it: they go", async () => {
  const lease = ["other", "u", "s", "v", 1, 2];
  const count = [1, "key", 3];
  for (const engine of ["sqlite", "postgres"] as const) {
    const target = await newDatabase(engine);
    await (await openStore(target)).close();
    if (target.engine === "sqlite") {
      inFile(`${target.path}-leases`, (file) => {
        file.prepare("insert into lease values (?, ?, ?, ?, ?, ?)").run(lease);
        file.prepare("insert into rate_count values (?, ?, ?)").run(count);
      });
    } else {
      const values = (row: readonly (string | number)[]) =>
        row.map((it) => (typeof it === "string" ? `'${it}'` : it)).join();
      await queryDatabase(target.url, `insert into lease values (${values(lease)})`);
      await queryDatabase(target.url, `insert into rate_count values (${values(count)})`);
    }
    const { counts } = await moveDatabase(await createSmall(), target, {});
    expect(new Map(counts).get("content")).toBeGreaterThan(0);
    const store = await openStore(target);
    expect(await store.leases.count(new Date(0))).toBe(0);
    await store.close();
  }
});

test("a source without tables, such as the database of another program, is rejected and gets none", async () => {
  const { url } = await createDatabase("template1");
  const from = { engine: "postgres", url } as const;
  await expect(moveDatabase(from, await newDatabase("sqlite"), {})).rejects.toMatchObject({
    reason: "DATABASE_MISSING",
  });
  expect(await queryDatabase(url, "select from pg_tables where schemaname = 'public'")).toEqual([]);
});

test("a failure of SQLite, such as a page that is broken, is one of the database", async () => {
  const source = await createSmall();
  let place = 0;
  inFile(source.path, (file) => {
    const root = "select rootpage from sqlite_schema where name = 'video'";
    place = Number(file.prepare(root).pluck().get()) - 1;
    place *= Number(file.pragma("page_size", { simple: true }));
  });
  const file = openSync(source.path, "r+");
  writeSync(file, randomBytes(512), 0, 512, place);
  closeSync(file);
  await expect(moveDatabase(source, await newDatabase("sqlite"), {})).rejects.toMatchObject({
    ...{ code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" },
    cause: { code: "SQLITE_CORRUPT" },
  });
});

test("a target that is not empty is rejected and keeps what it has", async () => {
  const source = await createSmall();
  for (const engine of ["sqlite", "postgres"] as const) {
    const target = await newDatabase(engine);
    const store = await openStore(target);
    await store.secrets.getOrCreate("any", () => Buffer.from("secret"));
    await store.close();
    await expect(moveDatabase(source, target, {})).rejects.toMatchObject({
      ...{ code: Code.FAILED_PRECONDITION, reason: "DATABASE_NOT_EMPTY" },
      message: "the target is not empty: table secret has rows; use a new database",
    });
    expect(await isEmpty(target)).toBe(true);
  }
  await expect(moveDatabase(source, source, {})).rejects.toMatchObject({
    reason: "DATABASE_NOT_EMPTY",
  });
});

test("a source in use is read as it is when the move begins, and what moves is reported", async () => {
  const source = await createSmall();
  const store = await openStore(source);
  const target = await newDatabase("postgres");
  const steps: string[] = [];
  const before = await dump(source);
  const { counts } = await moveDatabase(source, target, {
    onProgress({ step, ...rest }) {
      if (step === "rows" && steps.length === 0) {
        inFile(source.path, (file) => file.exec("delete from content_value"));
        expect(rest).toMatchObject({ size: expect.any(Number) });
      }
      if (steps.at(-1) !== step) steps.push(step);
    },
  });
  await store.close();
  expect(steps).toEqual(["rows", "comparison"]);
  expect(new Map(counts)).toEqual(new Map([...before].map(([name, rows]) => [name, rows.length])));
});
