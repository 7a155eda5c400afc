import Database from "better-sqlite3";
import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { HistoryPlace } from "../../../src/storage/contract/history.ts";
import type { Tx } from "../../../src/storage/db/db.ts";
import {
  BYTES_AT_ONCE,
  deleteStep,
  ROWS_AT_ONCE,
  SIZES,
} from "../../../src/storage/sql/base/delete-some.ts";
import { eraseSomeItems } from "../../../src/storage/sql/content/write/stored-items.ts";
import { eraseAlone, eraseDocument } from "../../../src/storage/sql/stores/cascade.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";
import { OPEN_FRESH, pathOf } from "../../harness/fresh-store.ts";
import { createSmallDataset } from "../small-dataset.ts";

/** Creates a database with the rows of some statements. */
function createDatabase(...statements: readonly string[]): Database.Database {
  const database = new Database(":memory:");
  migrate(database);
  database.pragma("foreign_keys = off");
  for (const statement of statements) database.exec(statement);
  database.pragma("foreign_keys = on");
  return database;
}

/** Creates a database with two accounts and responses to their calls. */
function createResponses(count: number): Database.Database {
  return createDatabase(
    `insert into account (organization_id, id, create_time, update_time, revision, doc)
     values ('acme', 'ann', 0, 0, 1, x''), ('acme', 'bob', 0, 0, 1, x'')`,
    "insert into answered_request values ('acme', 'bob', '1', x'00', x'00', 1)",
    `with recursive number (n) as (select 0 union all select n + 1 from number)
     insert into answered_request select 'acme', 'ann', n, x'00', x'00', 1 from number limit ${count}`,
  );
}

/** Creates a database with two videos and annotations of them. */
function createAnnotations(count: number): Database.Database {
  return createDatabase(
    `insert into video (organization_id, id, project_id, create_time, update_time, revision, doc)
     values ('acme', 'long', 'alpha', 0, 0, 1, x''), ('acme', 'short', 'alpha', 0, 0, 1, x'')`,
    `with recursive number (n) as (select 0 union all select n + 1 from number)
     insert into annotation
       (organization_id, id, project_id, create_time, update_time, revision, doc, visibility, video_id, event_id,
        moment, sort_order)
     select 'acme', n, 'alpha', 0, 0, 1, x'', 1, iif(n = 0, 'short', 'long'), '', n, 0
     from number limit ${count + 1}`,
  );
}

/** Adds the number of rows that each statement of a transaction returns to a list. */
function record(tx: Tx, counts: number[]): Tx {
  return {
    isTransaction: true,

    run: (query) => tx.run(query),
    transaction: (run) => tx.transaction(run),
    async all(query, budget) {
      const rows = await tx.all(query, budget);
      counts.push(rows.length);
      return rows;
    },
  };
}

test.each([
  [0, [0]],
  [ROWS_AT_ONCE, [ROWS_AT_ONCE, 0]],
  [ROWS_AT_ONCE + 1, [ROWS_AT_ONCE, 1, 0]],
])("%i responses are deleted in steps before their account", async (responses, want) => {
  const database = createResponses(responses);
  const writer = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
  const counts: number[] = [];
  await writer.transaction((tx) =>
    eraseAlone(record(tx, counts), { kind: "account", id: "ann", organizationId: "acme" }),
  );
  expect(counts).toEqual(want);
  const left = (table: string, column: string) =>
    database.prepare(`select ${column} from ${table}`).pluck().all();
  expect([left("account", "id"), left("answered_request", "account_id")]).toEqual([
    ["bob"],
    ["bob"],
  ]);
  database.close();
});

/** Statements that insert a row with a number of bytes, and the keys of their tables. */
const LONG_ROWS = [
  [
    "action_run",
    ["id"],
    `insert into action_run
       (id, project_id, create_time, update_time, revision, doc, annotation_id, action_id, state, due_time, lease,
        first_attempt_time, payload)
     values (@id, 'alpha', 0, 0, 1, x'', '', '', 1, 0, '', 0, printf('%*s', @bytes, ''))`,
  ],
  [
    "answered_request",
    ["request_id"],
    "insert into answered_request values ('acme', 'ann', @id, x'', zeroblob(@bytes), 1)",
  ],
  [
    "audit_entry",
    ["id"],
    "insert into audit_entry values ('acme', 0, @id, '', 'ann', zeroblob(@bytes))",
  ],
  [
    "history",
    ["project_id", "revision", "part"],
    `insert into history values
       ('alpha', 1, @id, 'acme', '1', 0, 'ann', 'video', '1', '', zeroblob(@bytes - 1), x'00')`,
  ],
] as const;

test("each table with long rows has a test", () => {
  expect(Object.keys(SIZES)).toEqual(LONG_ROWS.map(([table]) => table));
});

test.each(LONG_ROWS)(
  "rows of %s are deleted in steps by their bytes",
  async (table, key, insert) => {
    const database = createDatabase();
    database.pragma("foreign_keys = off");
    const half = BYTES_AT_ONCE / 2;
    for (const [id, bytes] of [half, half, half, half - 1, 1, 1].entries()) {
      database.prepare(insert).run({ id: String(id), bytes });
    }
    const writer = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
    const deleted: number[] = [];
    for (let step = 0; step < 4; step += 1) {
      const rows = { table, key, condition: sql`true` };
      deleted.push(await writer.transaction((tx) => deleteStep(tx, rows)));
    }
    expect(deleted).toEqual([2, 3, 1, 0]);
    database.close();
  },
);

test("changes that are no longer kept are deleted in steps by their bytes", async () => {
  const { store, address, close } = await OPEN_FRESH.sqlite(createSmallDataset());
  onTestFinished(close);
  const database = new Database(pathOf(address));
  onTestFinished(() => void database.close());
  const half = BYTES_AT_ONCE / 2;
  const [, , insert] = LONG_ROWS[3];
  for (const id of [1, 2, 3, 4, 5]) database.prepare(insert).run({ id: String(id), bytes: half });
  const left: unknown[] = [];
  const kept = { any: new Date(), newest: new Date(), bytes: 5 * BYTES_AT_ONCE };
  for (let place: HistoryPlace | undefined; left.length === 0 || place !== undefined; ) {
    place = await store.history.prune(kept, place, 500);
    left.push(database.prepare("select count(*) from history").pluck().get());
  }
  expect(left).toEqual([3, 1, 0, 0]);
});

test("the items of a project are deleted in steps by the bytes of their documents", async () => {
  const database = createDatabase(
    "insert into content_collection (collection, project_id, kind) values (1, 'alpha', 'event')",
    ...[128, 128, 200, 56, 1, 300].map(
      (kib, id) => `
        insert into content (item, organization_id, collection, kind, id, visibility, sort_time, create_time,
          update_time, revision, doc, open_from, open_until)
        values (${id}, 'acme', 1, 'event', '${id}', 1, 0, 0, 0, 1, printf('%*s', ${kib * 1024}, ''), 0, 0)`,
    ),
  );
  const writer = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
  const deleted: number[] = [];
  for (let step = 0; step < 5; step += 1) {
    const items = await writer.transaction((tx) => eraseSomeItems(tx, SQLITE_DIALECT, "alpha"));
    deleted.push(items.length);
  }
  expect(deleted).toEqual([2, 2, 1, 1, 0]);
  database.close();
});

test("very many annotations are read in parts before their video is deleted", async () => {
  const database = createAnnotations(2_500);
  const writer = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
  const counts: number[] = [];
  const video = { kind: "video", id: "long", organizationId: "acme", projectId: "alpha" } as const;
  const dependents = await writer.transaction((tx) =>
    eraseDocument(record(tx, counts), SQLITE_DIALECT, { ...video, bytes: 0 }),
  );
  expect(dependents, "too many for the history").toBeUndefined();
  expect(counts.filter((count) => count > 1)).toEqual([1_001, 1_001, 500]);
  const left = (table: string, column: string) =>
    database.prepare(`select ${column} from ${table}`).pluck().all();
  expect([left("video", "id"), left("annotation", "video_id")]).toEqual([["short"], ["short"]]);
  database.close();
});
