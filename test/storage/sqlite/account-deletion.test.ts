import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { Tx } from "../../../src/storage/db/db.ts";
import { ROWS_AT_ONCE } from "../../../src/storage/sql/base/delete-some.ts";
import { eraseAlone } from "../../../src/storage/sql/stores/cascade.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";

/** Creates a database with two accounts and responses to their calls. */
function createDatabase(responses: number): Database.Database {
  const database = new Database(":memory:");
  migrate(database);
  database.pragma("foreign_keys = off");
  database.exec(`
    insert into account (organization_id, id, create_time, update_time, revision, doc)
    values ('acme', 'ann', 0, 0, 1, x''), ('acme', 'bob', 0, 0, 1, x'')
  `);
  const insert = database.prepare(
    "insert into answered_request values ('acme', ?, ?, x'00', x'00', 1)",
  );
  insert.run("bob", "1");
  for (let number = 0; number < responses; number += 1) insert.run("ann", String(number));
  database.pragma("foreign_keys = on");
  return database;
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
  const database = createDatabase(responses);
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
