import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { RunSlots } from "../../src/domain/actions/run-slots.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { ALL_VISIBILITIES } from "../../src/domain/content/visibility.ts";
import { parseKql } from "../../src/domain/kql/index.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import {
  checkMigration,
  listMigrations,
  type Migration,
} from "../../src/storage/migrations/check-migration.ts";
import { type DatabaseLocation, openStore } from "../../src/storage/open.ts";
import { BUSY_TIMEOUT_MS, LEASES_SUFFIX } from "../../src/storage/sqlite/open.ts";
import { readPage } from "../docs/pages.ts";
import { captureLog } from "../harness/captured-log.ts";
import { ENGINE } from "../harness/engine.ts";
import { createFolder } from "../harness/folder.ts";
import { loadDataset } from "../harness/load-dataset.ts";
import { createNextRelease, MAY_RUN, type NextRelease } from "../harness/next-release.ts";
import { createDatabase, dropDatabase } from "../harness/postgres-databases.ts";
import { createDueRun, createWebhook } from "../outbox/outbox.ts";
import {
  ALPHA,
  BETA,
  createEvent,
  createSmallDataset,
  createTransaction,
  GAMMA,
} from "./small-dataset.ts";

/** What every migration but the first of a folder begins with. */
const HEADER = /^-- Processes of the release before: (may run|must stop, .+)\n/;

const FOLDERS = ENGINE === "sqlite" ? ["sqlite", "sqlite-leases"] : ["postgres"];

/** A database to which migrations are applied. */
interface Target {
  readonly address: DatabaseLocation;
  run(sql: string): Promise<void>;
  /** Takes the lock of a migration in a transaction, which ends a moment later. */
  lock(): Promise<void>;
  /** Reports whether another process migrates, and others cannot open the database. */
  isLocked(): Promise<boolean>;
  /** Lists the column `fact` of the rows of a statement. */
  list(sql: string): Promise<readonly string[]>;
  /** Lists what the statements of a release depend on, a line for each column and constraint of a table. */
  describe(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The place of the journal mode in a database file. */
const JOURNAL_MODE = 18;

const SQLITE_FACTS = `
  SELECT 'table ' || t.name || ': ' || iif(c."notnull" AND c.dflt_value IS NULL AND NOT c.pk, 'required ', 'column ')
    || c.name || ' ' || c.type AS fact
  FROM pragma_table_list AS t JOIN pragma_table_xinfo(t.name) AS c
  WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'
  UNION ALL
  SELECT 'table ' || t.name || ': unique ' || (
    SELECT group_concat(coalesce(c.name, 'expression'), ',') FROM pragma_index_info(i.name) AS c)
  FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i
  WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%' AND i."unique"
  UNION ALL
  SELECT 'table ' || t.name || ': reference ' || r."from" || ' ' || r."table"
  FROM pragma_table_list AS t JOIN pragma_foreign_key_list(t.name) AS r
  WHERE t.schema = 'main'
  ORDER BY fact
`;

const POSTGRES_FACTS = `
  select 'table ' || table_name || ': ' ||
    case when is_nullable = 'NO' and column_default is null and is_identity = 'NO' then 'required ' else 'column ' end
    || column_name || ' ' || data_type as fact
  from information_schema.columns where table_schema = 'public'
  union all
  select 'table ' || conrelid::regclass || ': ' || pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
  union all
  select 'table ' || indrelid::regclass || ': unique ' || pg_get_indexdef(indexrelid, 1, true)
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = 'public'::regnamespace and indisunique
  order by fact
`;

async function openTarget(): Promise<Target> {
  if (ENGINE === "sqlite") {
    const folder = createFolder();
    const path = join(folder.path, "marquee.db");
    const database = new Database(path, { timeout: 0 });
    const list = async (sql: string) => database.prepare<[], string>(sql).pluck().all();
    return {
      address: { engine: "sqlite", path },
      run: async (sql) => void database.exec(sql),
      async lock() {
        await once(new Worker(LOCK_IN_THREAD, { eval: true, workerData: { path } }), "message");
      },
      async isLocked() {
        // The leases have left the WAL mode. A connection to them would keep a migration from locking them.
        return readFileSync(`${path}${LEASES_SUFFIX}`)[JOURNAL_MODE] === 1;
      },
      list,
      describe: () => list(SQLITE_FACTS),
      async close() {
        database.close();
        folder.remove();
      },
    };
  }
  const { name, url } = await createDatabase("template0");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const list = async (sql: string) => (await client.query(sql)).rows.map(({ fact }) => fact);
  return {
    address: { engine: "postgres", url },
    run: async (sql) => void (await client.query(sql)),
    async lock() {
      await client.query(`begin; select pg_advisory_xact_lock(${LOCK})`);
      setTimeout(() => client.query("rollback"), LOCKED_MS);
    },
    isLocked: async () =>
      (await list(`select pg_try_advisory_xact_lock(${LOCK}) as fact`))[0] === false,
    list,
    describe: () => list(POSTGRES_FACTS),
    async close() {
      await client.end();
      await dropDatabase(name);
    },
  };
}

/**
 * Lists why the statements of the release before could fail after a migration: what they name is gone, or rows as
 * they write them are rejected. Tables that are new do not concern them.
 */
function findConflicts(before: readonly string[], after: readonly string[]): string[] {
  const isOld = (fact: string) => before.some((it) => it.startsWith(`${fact.split(":")[0]}:`));
  return [
    ...before.filter((it) => !after.includes(it)).map((it) => `lost: ${it}`),
    ...after
      .filter((it) => !before.includes(it) && isOld(it) && !it.includes(": column "))
      .map((it) => `new: ${it}`),
  ];
}

const read = (folder: string, { name }: Migration) =>
  readFileSync(new URL(`../../src/storage/migrations/${folder}/${name}`, import.meta.url), "utf8");
const list = (folder: string) =>
  listMigrations(new URL(`../../src/storage/migrations/${folder}/`, import.meta.url));

for (const folder of FOLDERS) {
  describe(`of the migrations of ${folder}`, () => {
    let target: Target;
    beforeAll(async () => {
      target = await openTarget();
    });
    afterAll(() => target.close());

    test("each says whether processes of the release before may run, and is true to it", async () => {
      const [first, ...others] = list(folder);
      if (first !== undefined) await target.run(read(folder, first));
      for (const migration of others) {
        const sql = read(folder, migration);
        const [, says = "nothing"] = HEADER.exec(sql) ?? [];
        expect([migration.name, says]).toEqual([
          migration.name,
          expect.stringMatching(/^(may run$|must stop)/),
        ]);
        const before = await target.describe();
        await target.run(sql);
        if (says !== "may run") continue;
        const conflicts = findConflicts(before, await target.describe());
        expect([migration.name, conflicts]).toEqual([migration.name, []]);
      }
    });

    test.each<[change: string, sql: string, isConflict: boolean]>([
      ["a column is lost", "alter table probe drop column name", true],
      ["a column is required", "alter table probe add column other text not null", true],
      ["a column is renamed", "alter table probe rename column name to title", true],
      ["a table is lost", "drop table probe", true],
      ["an index rejects what was allowed", "create unique index by_name on probe (name)", true],
      ["a column has a default", "alter table probe add column o text not null default ''", false],
      ["an index is added", "create index by_name on probe (name)", false],
      ["a table is added", "create table probe_2 (id text primary key, o text not null)", false],
    ])("where %s, that is noticed if it is a conflict", async (_change, sql, isConflict) => {
      await target.run("create table probe (id text primary key, name text, spare text)");
      const before = await target.describe();
      const isRejected = await target.run(sql).then(
        () => false,
        () => true,
      );
      const conflicts = findConflicts(before, await target.describe());
      // SQLite itself rejects a column that is required and has no default.
      expect(isRejected || conflicts.length > 0).toBe(isConflict);
      for (const table of ["probe", "probe_2"]) await target.run(`drop table if exists ${table}`);
    });
  });
}

/** The lock of a migration of PostgreSQL. */
const LOCK = "hashtextextended('marquee migration', 0)";

/** How long another process holds the lock that a migration takes, in milliseconds. */
const LOCKED_MS = 300;

/** Begins a transaction with that lock in another thread, and ends it later. A migration of SQLite blocks this one. */
const LOCK_IN_THREAD = `
  const { parentPort, workerData } = require("node:worker_threads");
  const database = require("better-sqlite3")(workerData.path);
  database.exec("begin immediate");
  parentPort.postMessage("locked");
  setTimeout(() => database.close(), ${LOCKED_MS});
`;

/** Opens a database with a release. */
const OPEN_IN_THREAD = `
  const { workerData } = require("node:worker_threads");
  import(workerData.module).then(async ({ openStore }) => {
    const store = await openStore(workerData.address);
    await store.close();
  });
`;

function openInThread({ path }: NextRelease, address: DatabaseLocation): Worker {
  const workerData = { module: join(path, "src/storage/open.ts"), address };
  return new Worker(OPEN_IN_THREAD, { eval: true, workerData });
}

const MUST_STOP = "-- Processes of the release before: must stop, why";

/** Takes about a second. */
const SLOW = `create table next_release as
  with recursive number (n) as (select 1 union all select n + 1 from number where n < 3000000)
  select max(n) as id from number;`;

/** Releases whose migration begins with a header; to load another one takes a second. */
const NEXT = {
  mayRun: createNextRelease(`${MAY_RUN}\ncreate table next_release (id text);`),
  mustStop: createNextRelease(`${MUST_STOP}\ncreate table next_release (id text);`),
  slow: createNextRelease(`${MUST_STOP}\n${SLOW}`),
};
afterAll(() => {
  for (const { remove } of Object.values(NEXT)) remove();
});

for (const [what, next, asks] of [
  ["may run", NEXT.mayRun, "may run"],
  ["must stop", NEXT.mustStop, "must be stopped"],
] as const) {
  test(`the start of a release before which processes ${what} reports it, and how long it took`, async () => {
    const later = await next.load<Open>("storage/open.ts");
    await next.load(`storage/${ENGINE}/open.ts`);
    const target = await openTarget();
    await (await openStore(target.address)).close();
    const { log, lines } = captureLog("info");
    const flush = vi.spyOn(log, "flush");
    const start = async () => {
      const store = await later.openStore(target.address, { log });
      expect((await store.readiness()).schema).toBe(next.number);
      await store.close();
    };
    const read = () => lines.filter(({ database }) => database === "content");
    const [from, to] = [next.number - 1, next.number];
    const msg = `database migration begins, processes of the release before ${asks}`;
    const begins = { level: 40, msg, from, to };
    const ends = { level: 40, msg: "database migrated", from, to, duration_ms: expect.any(Number) };

    await target.lock();
    await start();
    expect(read()).toMatchObject([begins, ends]);
    const [, { duration_ms } = {}] = read();
    expect(duration_ms).toBeGreaterThan(LOCKED_MS / 2);
    expect(flush).toHaveBeenCalledOnce();
    const count = lines.length;
    await start();
    expect(lines).toHaveLength(count);
    expect((await target.describe()).join()).toContain("next_release");
    await expect(openStore(target.address)).rejects.toMatchObject({ reason: "DATABASE_TOO_NEW" });
    await target.close();
  });
}

/** Sets the number of the last migration of a database. */
const setNumber = (number: number) =>
  ENGINE === "sqlite"
    ? `pragma user_version = ${number};`
    : `update schema_migration set number = ${number};`;

const INDEXED_TIMES = ["sort_time", "create_time", "update_time"];

/** The words of texts without spaces as they were stored before the migration 0012, by the ids of their events. */
const RUNS = {
  mixed: ["w杯2026決勝戦", "の"],
  long: ["日本対フラシル", "𠮷野家"],
  thai: ["ฟตบอลโลก"],
};

/** Makes a database one of before the migration 0020. */
const UNDO_WAITING_RUNS = `
  create index action_run_due on action_run (due_time) where due_time < 9000000000000000000;
  drop index action_run_waiting;
  ${setNumber(19)}
`;

/** Makes a database one of before the migration 0019. */
const UNDO_ACTION_TARGET = `
  ${UNDO_WAITING_RUNS}
  alter table action drop column target;
  ${setNumber(18)}
`;

/** Makes a database one of before the migration 0018. */
const UNDO_RUN_BYTES = `
  ${UNDO_ACTION_TARGET}
  ${
    ENGINE === "sqlite"
      ? "drop trigger size_by_insert_of_action_run; drop trigger size_by_delete_of_action_run;"
      : `drop trigger size_by_insert on action_run; drop trigger size_by_delete on action_run;
        drop function count_runs;`
  }
  drop index action_run_ended_by_project;
  alter table project drop column run_bytes;
  ${setNumber(17)}
`;

/** Makes a database one of before the migration 0017. */
const UNDO_OLD_RESPONSES = `
  ${UNDO_RUN_BYTES}
  drop index answered_request_by_organization;
  ${setNumber(16)}
`;

/** Makes a database one of before the migration 0016. */
const UNDO_PATH_NUMBERS = `
  ${UNDO_OLD_RESPONSES}
  ${ENGINE === "sqlite" ? "" : "alter table content_path alter column path set no cycle;"}
  ${setNumber(15)}
`;

/** Makes a database one of before the migration 0015. */
const UNDO_LOOK_UP_IDS = `
  ${UNDO_PATH_NUMBERS}
  drop index annotation_by_video_id;
  drop index annotation_by_event_id;
  drop index binding_by_account_id;
  ${setNumber(14)}
`;

/** Makes a database one of before the migration 0014. */
const UNDO_TRANSACTION_TOTALS = `
  ${UNDO_LOOK_UP_IDS}
  ${["insert", "delete", "update"]
    .map(
      (change) =>
        `drop trigger total_by_${change}${ENGINE === "sqlite" ? "" : " on transaction_record"};`,
    )
    .join("\n")}
  ${ENGINE === "sqlite" ? "" : "drop function total_transactions;"}
  drop table transaction_total;
  create index transaction_record_revenue on transaction_record (project_id, is_revenue, currency_code, units, nanos);
  ${setNumber(13)}
`;

/** Makes a database one of before the migration 0013. */
const UNDO_RUN_IDS = `
  ${UNDO_TRANSACTION_TOTALS}
  drop index action_run_by_id;
  ${setNumber(12)}
`;

/** Makes a database one of before the migration 0012. */
const UNDO_UNSPACED_WORDS = `
  ${UNDO_RUN_IDS}
  ${Object.entries(RUNS)
    .map(([id, words]) => {
      const item = `(select item from content where id = '${id}')`;
      const rows = words.map(
        (word) => `(${item}, '${word}',
        (select collection from content where id = '${id}'), ${Visibility.PUBLISHED})`,
      );
      return `delete from content_word where item = ${item} and word > '~';
        insert into content_word (item, word, collection, visibility)
          select * from (values ${rows.join(", ")}) as run where exists (select 1 from content where id = '${id}');`;
    })
    .join("\n")}
  ${setNumber(11)}
`;

/** Makes a database one of before the migration 0011. */
const UNDO_WINDOWS = `
  ${UNDO_UNSPACED_WORDS}
  drop index content_by_id;
  create index content_by_id on content (collection, visibility, id);
  ${INDEXED_TIMES.flatMap((time) =>
    ["", "desc"].map((direction) => {
      const name = `content_by_${time.replace("sort_", "")}${direction && `_${direction}`}`;
      return `drop index ${name}; create index ${name} on content (collection, visibility, ${time} ${direction}, id);`;
    }),
  ).join("\n")}
  alter table content drop column open_from;
  alter table content drop column open_until;
  alter table content_value drop column open_from;
  alter table content_value drop column open_until;
  ${setNumber(10)}
`;

/** Makes a database one of before the migration 0010. */
const UNDO_SESSIONS = `
  ${UNDO_WINDOWS}
  drop index access_token_session;
  alter table access_token drop column is_session;
  ${setNumber(9)}
`;

/** Makes a database one of before the migration 0009. */
const UNDO_STAFF_SIGN_IN = `
  ${UNDO_SESSIONS}
  drop table staff_sign_in;
  drop index account_by_email;
  drop index account_by_identity;
  alter table account drop column email;
  alter table account drop column identity;
  ${setNumber(8)}
`;

/** Makes a database one of before the migration 0008: projects have turns of their own. */
const UNDO_RUN_TURNS = `
  ${UNDO_STAFF_SIGN_IN}
  create table action_turn (level text, parent_id text, id text, turn bigint);
  insert into action_turn select 'action', project_id, action_id, turn from run_turn where project_id <> '';
  insert into action_turn
    select 'project', organization_id, project_id, min(turn) from run_turn
    where project_id <> '' group by organization_id, project_id;
  insert into action_turn select 'organization', '', organization_id, turn from run_turn where project_id = '';
  drop table run_turn;
  ${setNumber(7)}
`;

/** Makes a database one of before the migration 0007: the rows of components have the order of their pages. */
const UNDO_PAGE_ORDER = `
  ${UNDO_RUN_TURNS}
  alter table page_component add column position integer not null default 0;
  update page_component set position = (
    select 5 + 3 * ${ENGINE === "sqlite" ? "key" : "number"} from page, ${
      ENGINE === "sqlite"
        ? "json_each(component_ids)"
        : "json_array_elements_text(component_ids::json) with ordinality as list (value, number)"
    }
    where page.organization_id = page_component.organization_id and page.id = page_id
      and value = page_component.id
  );
  drop index page_component_by_page;
  alter table page drop column component_ids;
  ${setNumber(6)}
`;

test("0007 keeps the order of the components of every page", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  await loadDataset(filled, createSmallDataset());
  const { pageComponents } = filled.in("acme");
  await pageComponents.reorder("page-1", (page) => page.map(({ id }) => id).toReversed());
  const before = await exportOf(filled);
  await filled.close();
  await target.run(UNDO_PAGE_ORDER);
  const migrated = await openStore(target.address);
  expect(await exportOf(migrated)).toEqual(before);
  const { components } = await migrated.pages.get({
    ...{ projectId: ALPHA, id: "page-1" },
    ...{ at: undefined, visibilities: ALL_VISIBILITIES, componentVisibilities: ALL_VISIBILITIES },
  });
  expect(components.map(({ id }) => id)).toEqual(
    ["3", "2", "1"].map((number) => `page_component-${number}`),
  );
  await migrated.close();
  await target.close();
});

test("0008 keeps the turns of actions and organizations", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  await loadDataset(filled, createSmallDataset());
  const start = new Date("2026-07-19T19:00:00Z");
  const take = async (store: Store, limit: number) => {
    const leaseEnd = new Date(start.getTime() + 60_000);
    const claim = { lease: "lease", now: start, leaseEnd, limit, slots: new RunSlots() };
    return (await store.actionRuns.take(claim)).runs.map(({ run }) => run.actionId);
  };
  for (const [id, projectId] of [
    ["a1", ALPHA],
    ["a2", ALPHA],
    ["g1", GAMMA],
  ] as const) {
    const action = await createWebhook(filled, id, "https://hooks.example.com/", projectId);
    for (let n = 0; n < 3; n += 1) await createDueRun(filled, action, start);
  }
  expect(await take(filled, 4)).toEqual(["a1", "g1", "a2", "g1"]);
  await filled.close();
  await target.run(UNDO_RUN_TURNS);
  const migrated = await openStore(target.address);
  expect(await take(migrated, 9)).toEqual(["a1", "g1", "a2", "a1", "a2"]);
  await migrated.close();
  await target.close();
});

test("0011 keeps the windows of content", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  const day = (number: number) => ({ seconds: BigInt(Date.UTC(2026, 11, number) / 1_000) });
  const windows = { closed: [1, 2], open: [2, 4], early: [3, 4], late: [1, undefined], from: [4] };
  const events = [
    createEvent("always", { contentType: "match" }),
    ...Object.entries(windows).map(([id, [start, end]]) =>
      createEvent(id, {
        contentType: "match",
        availability: {
          ...(start !== undefined && { startTime: day(start) }),
          ...(end !== undefined && { endTime: day(end) }),
        },
      }),
    ),
  ];
  await loadDataset(filled, createSmallDataset({ events }));
  await filled.close();
  await target.run(UNDO_WINDOWS);
  const migrated = await openStore(target.address);
  const at = { time: new Date("2026-12-02T00:00:00Z"), limitUntil: () => {} };
  for (const filter of [undefined, parseKql("content_type: match")]) {
    for (const field of ["id", "start_time", "content_type"]) {
      const { entries } = await migrated.events.list({
        ...{ projectId: ALPHA, visibilities: ALL_VISIBILITIES, words: [], limit: 9, now: at.time },
        ...{ at, order: { field, direction: "asc" }, ...(filter && { filter }) },
      });
      expect(entries.map(({ item }) => item.id)).toEqual(["always", "late", "open"]);
    }
  }
  await migrated.close();
  await target.close();
});

test("0012 finds texts without spaces by their words", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  const titles = { mixed: "W杯2026決勝戦 の", long: "日本対ブラジル 𠮷野家", thai: "ฟุตบอลโลก" };
  const events = Object.entries({ ...titles, latin: "Größe αβγ привет" }).map(([id, title]) =>
    createEvent(id, { title: { en: title } }),
  );
  await loadDataset(filled, createSmallDataset({ events }));
  await filled.close();
  const words = "select item || ' ' || word as fact from content_word order by item, word";
  const before = await target.list(words);
  await target.run(UNDO_UNSPACED_WORDS);
  expect(await target.list(words)).not.toEqual(before);
  await (await openStore(target.address)).close();
  expect(await target.list(words)).toEqual(before);
  await target.close();
});

test("0014 keeps the totals of transactions", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  const transactions = [
    createTransaction("a", {}),
    createTransaction("b", { totalAmount: { currencyCode: "EUR", units: -3n, nanos: -5 } }, ""),
    createTransaction("c", { isTest: true, totalAmount: { currencyCode: "USD", units: 9n } }),
    createTransaction("d", { projectId: BETA, totalAmount: { currencyCode: "EUR", units: 2n } }),
  ];
  await loadDataset(filled, createSmallDataset({ transactions }));
  await filled.close();
  const totals = `select project_id || currency_code || is_billed || ' ' || count || ' ' || revenue_count || ' ' || high
    || ' ' || low || ' ' || nanos as fact from transaction_total order by 1`;
  const before = await target.list(totals);
  expect(before).toEqual([
    `${ALPHA}EUR0 1 1 0 -3 -5`,
    `${ALPHA}EUR1 1 1 0 1 0`,
    `${ALPHA}USD1 1 0 0 0 0`,
    `${BETA}EUR1 1 1 0 2 0`,
  ]);
  await target.run(UNDO_TRANSACTION_TOTALS);
  await (await openStore(target.address)).close();
  expect(await target.list(totals)).toEqual(before);
  await target.close();
});

test("0018 counts the bytes of runs", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  await loadDataset(filled, createSmallDataset());
  const action = await createWebhook(filled, "hook", "https://hooks.example.com/");
  for (const text of ["", "x".repeat(500)])
    await createDueRun(filled, action, new Date(0), { text });
  await filled.close();
  const sizes = "select id || ' ' || run_bytes as fact from project order by id";
  const before = await target.list(sizes);
  expect(before).toEqual([expect.stringMatching(`^${ALPHA} [1-9]\\d{3}$`), `${BETA} 0`, "gamma 0"]);
  await target.run(UNDO_RUN_BYTES);
  await (await openStore(target.address)).close();
  expect(await target.list(sizes)).toEqual(before);
  await target.close();
});

test("0019 leaves the runs of earlier actions their targets", async () => {
  const target = await openTarget();
  const filled = await openStore(target.address);
  await loadDataset(filled, createSmallDataset());
  const url = "https://hooks.example.com/";
  const action = await createWebhook(filled, "hook", url);
  await createDueRun(filled, action, new Date(0));
  await filled.close();
  await target.run(UNDO_ACTION_TARGET);
  const store = await openStore(target.address);
  const slots = new RunSlots();
  const claim = { lease: "a", now: new Date(1), leaseEnd: new Date(2), limit: 1, slots };
  const { runs } = await store.actionRuns.take(claim);
  expect(runs.map(({ sender }) => sender?.target)).toEqual([{ kind: "webhook", url }]);
  await store.close();
  await target.close();
});

async function exportOf(store: Store): Promise<readonly unknown[]> {
  const records: unknown[] = [];
  await store.exportRecords(ALPHA, async (some) => void records.push(...some));
  return records;
}

type Open = typeof import("../../src/storage/open.ts");

test("a database that is older than the first migration is rejected", () => {
  const migrations = [{ name: "0007_baseline.sql", number: 7 }];
  const at = (from: number) => ({ from, isMarked: true, what: "the database" });
  expect(() => checkMigration(at(6), migrations)).toThrow(
    expect.objectContaining({ code: Code.FAILED_PRECONDITION, reason: "DATABASE_TOO_OLD" }),
  );
  for (const from of [0, 7]) checkMigration(at(from), migrations);
});

/** Lists the numbers of migrations for which a changelog asks to stop every process. */
function listAnnounced(changelog: string): readonly number[] {
  const entries = Array.from(
    changelog.matchAll(/^- \*\*Stop every process\*\*(?:.|\n(?! *\n|- ))*/gm),
    ([entry]) => entry,
  );
  return [
    ...new Set(entries.flatMap((entry) => Array.from(entry.matchAll(/\b0\d{3}\b/g), Number))),
  ];
}

test("a migration for which processes must stop does not begin while one runs", async () => {
  const target = await openTarget();
  const running = await openStore(target.address);
  const { openStore: open } = await NEXT.mustStop.load<Open>("storage/open.ts");
  const start = async () => {
    const store = await open(target.address);
    onTestFinished(store.close);
    return store;
  };
  const before = await target.describe();
  const begin = performance.now();
  await expect(start()).rejects.toMatchObject({
    code: Code.FAILED_PRECONDITION,
    reason: "DATABASE_IN_USE",
    message: expect.stringMatching(/is in use; stop every process of the release before, /),
  });
  // The writes of the process that runs wait.
  expect(performance.now() - begin).toBeLessThan(BUSY_TIMEOUT_MS);
  expect(await target.describe()).toEqual(before);
  expect((await running.readiness()).primary).toBe(true);
  await running.close();
  const stores = await Promise.all([start(), start()]);
  expect((await target.describe()).join()).toContain("next_release");
  for (const store of stores) await store.close();
  await target.close();
});

test("a process that starts while a newer release migrates does not open the database", async () => {
  const target = await openTarget();
  await (await openStore(target.address)).close();
  const thread = openInThread(NEXT.slow, target.address);
  const ended = once(thread, "exit");
  await expect.poll(target.isLocked, { timeout: 60_000 }).toBe(true);
  await expect(openStore(target.address)).rejects.toMatchObject({
    reason: expect.stringMatching(/^DATABASE_(TOO_NEW|UNAVAILABLE)$/),
  });
  expect(await ended).toEqual([0]);
  expect((await target.describe()).join()).toContain("next_release");
  await target.close();
});

test("a process that starts while another one migrates waits for it", async () => {
  const target = await openTarget();
  await (await openStore(target.address)).close();
  const threads = [1, 2].map(() => openInThread(NEXT.slow, target.address));
  expect(await Promise.all(threads.map((it) => once(it, "exit")))).toEqual([[0], [0]]);
  await target.close();
});

test("a migration that processes survive begins beside them", async () => {
  const next = NEXT.mayRun;
  const { openStore: open } = await next.load<Open>("storage/open.ts");
  const target = await openTarget();
  const running = await openStore(target.address);
  const store = await open(target.address);
  expect((await store.readiness()).schema).toBe(next.number);
  for (const { close } of [store, running, target]) await close();
});

test("the changelog says of each migration for which processes must stop that they must", () => {
  const folders = ["sqlite", "sqlite-leases", "postgres"];
  const mustStop = folders.flatMap((folder) =>
    list(folder)
      .slice(1)
      .filter((migration) => !read(folder, migration).startsWith(MAY_RUN))
      .map(({ number }) => number),
  );
  const announced = listAnnounced(readPage("CHANGELOG.md").text);
  expect(announced.toSorted()).toEqual([...new Set(mustStop)].sort());
  const sample = "- **Stop every process** before 0002 and\n  0004.\n- Not before 0003.\n";
  expect(listAnnounced(sample)).toEqual([2, 4]);
});
