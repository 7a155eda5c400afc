import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { Tx } from "../../../src/storage/db/db.ts";
import { ROWS_AT_ONCE } from "../../../src/storage/sql/base/delete-some.ts";
import { eraseAlone, eraseDocument } from "../../../src/storage/sql/stores/cascade.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";

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
  [ROWS_AT_ONCE + 1, [ROWS_AT_ONCE, 1]],
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
