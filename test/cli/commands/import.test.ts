import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import Database from "better-sqlite3";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WORLD_CUP } from "../../../demo/ids.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import { ConfigError } from "../../../src/cli/setting.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { parseCommand, runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { MARQUEE, run } from "../../harness/process.ts";
import { serveHere } from "../../harness/service-process.ts";
import { createServiceFolder, useServiceFolder } from "../../harness/test-folder.ts";
import { listEventIds } from "../../storage/list-in-pages.ts";
import { keepProjectKey } from "../../storage/project-key.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";

const folder = useServiceFolder({ empty: true });
beforeAll(async () => {
  const store = openSqliteStore(folder.database);
  await loadDataset(
    store,
    createSmallDataset({ events: [createEvent("event-1", { projectId: ALPHA })] }),
  );
  await store.close();
});

/** A database with the projects alpha and beta and the event `event-1`, anew for each test. */
let database = "";
let count = 0;
beforeEach(() => {
  database = copyDatabase();
});

function copyDatabase(): string {
  count += 1;
  const copy = join(folder.path, `import-${count}.db`);
  copyFileSync(folder.database, copy);
  return copy;
}

const marquee = (...args: readonly string[]) =>
  runCommand("import", ...args, "--database", `sqlite:${database}`);

/** Imports in a process of its own. */
const marqueeProcess = (args: readonly string[], stdin = "") =>
  run(MARQUEE.program, MARQUEE.args("import", ...args, "--database", `sqlite:${database}`), {
    stdin,
  });

/** Imports a file of this text. */
function importText(text: string, ...args: string[]) {
  return marquee(writeText(text), ...args);
}

function writeText(text: string): string {
  const file = join(folder.path, `import-${count}.ndjson`);
  writeFileSync(file, text);
  return file;
}

const event = (id: string, more: object = {}) => ({
  event: { id, project_id: ALPHA, visibility: "VISIBILITY_PUBLISHED", ...more },
});
const toLines = (...items: readonly object[]) =>
  items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** Everything of content as it is stored, but for numbers that mean nothing; and revisions. */
function readTables() {
  const db = new Database(database, { readonly: true });
  const queries = [
    "select kind, id, visibility, sort_time, create_time, doc from content order by 1, 2",
    `select kind, id, name, position, key, text from content_leaf left join content using (item)
     join content_path using (path) order by 1, 2, 3, 4`,
    `select name, visibility, value, sort_time, id from content_value
     join content_path using (path) order by 1, 2, 3, 4, 5`,
    "select id, word, it.visibility from content_word as it join content using (item) order by 1, 2",
    "select name, sql from sqlite_schema where name like 'content%' order by name",
  ];
  const tables = queries.map((query) => db.prepare(query).all());
  const revisions = db
    .prepare(
      "select id, revision from project union select id, revision from content order by 1, 2",
    )
    .all();
  db.close();
  return { tables, revisions };
}

async function listIds(projectId = ALPHA): Promise<readonly string[]> {
  const store = openSqliteStore(database);
  const visibilities = [Visibility.UNSPECIFIED, Visibility.PUBLISHED];
  const ids = await listEventIds(store, { projectId, visibilities });
  await store.close();
  return ids;
}

const DONE = (counts: string) => new RegExp(`^imported ${counts} in \\d+\\.\\d s\\n(  .+\\n)*$`);

describe("marquee import", () => {
  test("creates, updates and leaves alone, in snake_case and camelCase", async () => {
    const lines = [
      event("event-2", { start_time: "2026-06-11T18:00:00Z", fields: { a: [1, { b: true }] } }),
      { event: { id: "event-3", projectId: ALPHA, entityIds: ["x"], visibility: 1 } },
      { creative_work: { id: "work-2", project_id: ALPHA, title: { en: "Recap" } } },
      { entity: { id: "team-2", project_id: BETA } },
    ];
    const got = await importText(toLines(...lines));
    expect(got.stderr).toBe(
      "4 read, writing the indexes\nwarning: event event-3 refers in entity_ids[0] to entity x, which its project lacks\n",
    );
    expect(got.stdout).toMatch(DONE("4 \\(4 created, 0 updated, 0 unchanged\\)"));
    expect(got.stdout.split("\n").slice(1)).toEqual([
      "  event: 2 created, 0 updated, 0 unchanged",
      "  creative_work: 1 created, 0 updated, 0 unchanged",
      "  entity: 1 created, 0 updated, 0 unchanged",
      "",
    ]);
    expect(got.code).toBe(0);
    expect(await listIds()).toEqual(["event-1", "event-2", "event-3"]);
    const changed = event("event-1", { title: { en: "New" } });
    const again = await importText(toLines(...lines.slice(0, 3), changed, event("event-4")));
    expect(again.stdout).toMatch(DONE("5 \\(1 created, 1 updated, 3 unchanged\\)"));
  });

  test("that is repeated writes nothing", async () => {
    const lines = toLines(event("event-2"), event("event-3"));
    await importText(lines);
    const want = readTables();
    const got = await importText(lines);
    expect(got.stdout).toMatch(DONE("2 \\(0 created, 0 updated, 2 unchanged\\)"));
    expect(readTables()).toEqual(want);
  });

  test("reads standard input", async () => {
    const line = toLines({ event: { id: "event-2" } });
    const got = await marqueeProcess(["-", "--project", ALPHA], line);
    expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining("1 created") });
    expect(await listIds()).toEqual(["event-1", "event-2"]);
  });

  test("warns of a reference to a resource that the project lacks, and takes it", async () => {
    const annotation = { id: "a", project_id: ALPHA, type_id: "gone" };
    const got = await importText(toLines({ annotation }));
    expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining("1 created") });
    expect(got.stderr).toBe(
      "1 read, writing the indexes\nwarning: annotation a refers to annotation_type gone, which its project lacks\n",
    );
  });
});

test("an import prints the first warnings of ids that name nothing, and counts the rest", async () => {
  const entity_ids = Array.from({ length: 22 }, (_, index) => `none-${index}`);
  const got = await importText(toLines(event("event-2", { entity_ids })));
  expect(got).toMatchObject({ code: 0, stdout: expect.stringContaining("1 created") });
  const lines = got.stderr.trimEnd().split("\n").slice(1);
  expect(lines).toHaveLength(21);
  expect(lines[1]).toBe(
    "warning: event event-2 refers in entity_ids[1] to entity none-1, which its project lacks",
  );
  expect(lines[20]).toBe("warning: 2 more references to nothing");
});

test("an import sets the times that its records lack", async () => {
  const timesOf = async () => {
    const store = openSqliteStore(database);
    const { documents } = store.in("acme");
    const stored = [
      ...(await documents.event.getMany(["event-2"])),
      ...(await documents.offer.getMany(["offer-2"])),
    ];
    await store.close();
    return stored.map(({ value: { createTime, updateTime } }) =>
      [createTime, updateTime].map((time) => time && timestampDate(time).getTime()),
    );
  };
  const records = (name: string) => [
    event("event-2", { content_type: name }),
    { offer: { id: "offer-2", project_id: ALPHA, name } },
  ];
  const start = Date.now();
  await importText(toLines(...records("a")));
  const created = await timesOf();
  for (const [createTime, updateTime] of created) {
    expect(createTime).toBeGreaterThanOrEqual(start);
    expect(updateTime).toBe(createTime);
  }
  const again = await importText(toLines(...records("a")));
  expect(again.stdout).toMatch(DONE("2 \\(0 created, 0 updated, 2 unchanged\\)"));
  expect(await timesOf()).toEqual(created);
  await importText(toLines(...records("b")));
  for (const [index, [createTime, updateTime]] of (await timesOf()).entries()) {
    expect(createTime).toBe(created[index]?.[0]);
    expect(updateTime).toBeGreaterThan(Number(createTime));
  }
  const create_time = "2001-02-03T04:05:06Z";
  await importText(toLines(event("event-2", { content_type: "c", create_time })));
  expect((await timesOf())[0]?.[0]).toBe(Date.parse(create_time));
});

describe("a dry run", () => {
  test("counts the changes, lists them on request and writes nothing", async () => {
    await importText(toLines(event("event-2")));
    const want = readTables();
    const lines = toLines(
      ...[event("event-2"), event("event-3"), event("event-1", { content_type: "x" })],
      event("event-3"),
    );
    const got = await importText(lines, "--dry-run", "--verbose");
    expect(got.code).toBe(0);
    expect(got.stdout.split("\n").slice(0, -2)).toEqual([
      "created event event-3",
      "updated event event-1",
    ]);
    expect(got.stdout).toMatch(
      /\nwould import 4 \(1 created, 1 updated, 2 unchanged\) in \S+ s\n$/,
    );
    const short = await importText(lines, "--dry-run");
    expect(short.stdout).toMatch(
      /^would import 4 \(1 created, 1 updated, 2 unchanged\) in \S+ s\n$/,
    );
    expect(await importText(lines, "--verbose")).toMatchObject({
      stderr: expect.stringContaining("--verbose lists the changes of a dry run: add --dry-run"),
    });
    expect(readTables()).toEqual(want);
  });

  test("finds the same errors", async () => {
    const got = await importText(toLines(event("a"), event("")), "--dry-run");
    expect(got).toMatchObject({ code: 1, stderr: "marquee: line 2: event.id: is required\n" });
  });
});

describe("an error ends the import with code 1, the line and the field", () => {
  const good = toLines(event("a"), event("b"));
  test.each<[string, string, RegExp, ...string[]]>([
    ["broken JSON", `${good}{"event": {]\n`, /line 3: .*column 12/],
    [
      "a long id",
      toLines(event("ü".repeat(401))),
      /line 1: event\.id: must have at most \d+ bytes in UTF-8, not 802/,
    ],
    ["a setting with no such project", "", /project nobody does not exist/, "--project", "nobody"],
    [
      "an id of another project",
      toLines(event("a"), event("event-1", { project_id: BETA })),
      /line 2: event\.id: event-1 belongs to another project/,
    ],
  ])("%s", async (_, text, want, ...args) => {
    const got = await importText(text, ...args);
    expect(got.stderr).toMatch(/^(\d+ %, [^\n]+\n)*marquee: [^\n]+\n$/);
    expect(got.stderr).toMatch(want);
    expect(got.code).toBe(1);
    expect(got.stdout).toBe("");
    expect(await listIds()).toEqual(["event-1"]);
  });

  test("a file that is not there", async () => {
    const got = await marquee(join(folder.path, "nowhere.ndjson"));
    expect(got.stderr).toMatch(/^marquee: <file>: no such file or directory: [^\n]+\n$/);
    expect(got.code).toBe(1);
  });

  test("at line 3,001 of 4,000 leaves the database as it was", async () => {
    await importText(toLines(event("event-2", { fields: { n: 1 } }), event("event-4")));
    const want = readTables();
    const lines = Array.from({ length: 4_000 }, (_, n) => {
      const more = { fields: { n }, start_time: "2026-06-11T18:00:00Z" };
      return JSON.stringify(event(`event-${n}`, n === 3_000 ? { visibility: 1.5 } : more));
    });
    const got = await importText(lines.join("\n"));
    expect(got.stderr).toMatch(
      /^(\d+ %, [^\n]+\n)*marquee: line 3001: event\.visibility: [^\n]+\n$/,
    );
    expect(got.code).toBe(1);
    expect(readTables()).toEqual(want);
    expect(await listIds()).toEqual(["event-1", "event-2", "event-4"]);
  });
});

describe("an import of CSV", () => {
  const csv = "id,title,year,note\nwork-2,Low Orbit,2024,x\nwork-3,The Crane,2025,\n";
  const args = [
    ...["--csv", "--kind", "creative_work", "--project", ALPHA],
    ...["--columns", "title=title.en,note=", "--columns", "year=fields.year"],
    ...["--set", "visibility=VISIBILITY_PUBLISHED"],
  ];

  test("maps columns, and writes nothing when it is repeated", async () => {
    expect(await importText(csv, ...args, "--dry-run", "--verbose")).toMatchObject({
      stdout: expect.stringMatching(
        /^created creative_work work-2\ncreated creative_work work-3\n/,
      ),
    });
    const got = await importText(csv, ...args);
    expect(got.stdout).toMatch(DONE("2 \\(2 created, 0 updated, 0 unchanged\\)"));
    const store = openSqliteStore(database);
    const [work] = await store.in("acme").documents.creative_work.getMany(["work-2"]);
    await store.close();
    expect(work?.value).toMatchObject({
      title: { en: "Low Orbit" },
      visibility: Visibility.PUBLISHED,
      fields: { year: 2024 },
    });
    const again = await importText(csv, ...args);
    expect(again.stdout).toMatch(DONE("2 \\(0 created, 0 updated, 2 unchanged\\)"));
  });

  test("writes nothing after an error, which names the line and the field", async () => {
    const want = readTables();
    const got = await importText(`${csv}work-4,a,b\n`, ...args);
    expect(got.stderr).toMatch(
      /^marquee: line 4: the row must have as many cells as the header, 4, not 3\n$/,
    );
    expect([got.code, got.stdout]).toEqual([1, ""]);
    const wrong = await importText(csv, ...args, "--set", "poster_image_url=x");
    expect(wrong.stderr).toMatch(/^marquee: line 2: creative_work\.poster_image_url: [^\n]+\n$/);
    expect(readTables()).toEqual(want);
  });

  test("that is read as records says what is expected", async () => {
    const got = await importText(csv);
    expect(got.stderr).toMatch(/^marquee: line 1: must be a JSON object .*; for CSV pass --csv\n$/);
    expect(got.code).toBe(1);
  });

  test.each<[string[], RegExp]>([
    [["a.csv"], /^a\.csv is CSV: pass --csv --kind KIND, such as /],
    [["a", "--csv"], /^--csv needs --kind, one of entity, creative_work, event, video$/],
    [["a", "--csv", "--kind", "page"], /^--kind must be entity, .*, not 'page'$/],
    [["a", "--kind", "event"], /^--kind, --columns and --set describe CSV: add --csv$/],
    [["a", "--columns", "a=b"], /^--kind, --columns and --set describe CSV: add --csv$/],
    [["a", "--set", "a=b"], /^--kind, --columns and --set describe CSV: add --csv$/],
    [
      ["a", "--csv", "--kind", "event", "--into-project", "p"],
      /^--into-project .* takes no --csv$/,
    ],
    [
      ["a", "--csv", "--kind", "event", "--columns", "a"],
      /^--columns must be NAME=VALUE, .*, not 'a'$/,
    ],
    [["a", "--csv", "--kind", "event", "--columns", "a=b,a=c"], /^--columns names 'a' twice$/],
    [["a", "--csv", "--kind", "event", "--set", "=b"], /^--set must be NAME=VALUE, .*, not '=b'$/],
  ])("%j: %s", (line, want) => {
    const read = () => parseCommand(["import", ...line]);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(want);
  });
});

test("a running server returns what was imported within a second", async () => {
  const running = createServiceFolder();
  database = running.database;
  const service = await serveHere(running);
  const store = openSqliteStore(database);
  const token = createToken("public");
  await keepProjectKey(store, WORLD_CUP, "public", hashToken(token));
  await store.close();
  const message = encodeURIComponent(JSON.stringify({ filter: "fields.imported: true" }));
  const path = `/svc.cda.cms.event.v1.EventService/ListEvents?encoding=json&connect=v1&message=${message}`;
  const list = async () => {
    const response = await send("GET", service.deliveryUrl + path, { token });
    expect(response.status).toBe(200);
    return (response.json.events ?? []).map((it: { id: string }) => it.id);
  };
  expect(await list()).toEqual([]);
  const item = { id: "imported", visibility: 1, fields: { imported: true } };
  const file = writeText(toLines({ event: item }));
  expect((await marqueeProcess([file, "--project", WORLD_CUP])).code).toBe(0);
  const end = performance.now() + 1_000;
  while ((await list()).length === 0) expect(performance.now()).toBeLessThan(end);
  expect(await list()).toEqual(["imported"]);
  await service.stop();
});

test("standard input is not read twice", () => {
  const read = () => parseCommand(["import", "-", "--into-project", "q"]);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(/FILE must be a regular file for --into-project/);
});
