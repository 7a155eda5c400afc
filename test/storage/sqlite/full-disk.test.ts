import { join } from "node:path";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Tx } from "../../../src/storage/db/db.ts";
import { GroupCommit } from "../../../src/storage/db/group-commit.ts";
import { SqliteBulkMode } from "../../../src/storage/sqlite/bulk-mode.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";
import { createTestFolder } from "../../harness/test-folder.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };

/** Pages of a database that has room for small rows only. */
const PAGES = 8;

let connection: Database.Database;
let write: SqliteWriter;
beforeEach(() => {
  connection = new Database(join(createTestFolder(), "full.db"));
  connection.pragma("journal_mode = WAL");
  connection.exec("CREATE TABLE entry (value BLOB NOT NULL) STRICT");
  connection.pragma(`max_page_count = ${PAGES}`);
  write = new SqliteWriter(connection, { name: "write", busyTimeoutMs: 100 });
});
afterEach(() => connection.close());

const add = (tx: Tx, bytes: number) => tx.run(sql`insert into entry values (zeroblob(${bytes}))`);
const SMALL = 10;
const LARGE = 100_000;

const sizes = () => connection.prepare("SELECT length(value) FROM entry").pluck().all();

describe("on a full disk, where SQLite ends the transaction itself,", () => {
  test("a write is UNAVAILABLE and keeps nothing, and later ones succeed", async () => {
    const failed = write.transaction(async (tx) => {
      await add(tx, SMALL);
      await add(tx, LARGE);
    });
    await expect(failed).rejects.toMatchObject(UNAVAILABLE);
    expect(sizes()).toEqual([]);
    await write.transaction((tx) => add(tx, SMALL));
    expect(sizes()).toEqual([SMALL]);
  });

  test("a bulk load fails with what SQLite reports", async () => {
    const bulk = new SqliteBulkMode(1_024);
    const failed = write.transaction((tx) => bulk.sorting(tx, () => add(tx, LARGE)));
    await expect(failed).rejects.toMatchObject({ ...UNAVAILABLE, cause: { code: "SQLITE_FULL" } });
  });

  test("statements behind the one that failed are not kept either", async () => {
    const failed = write.transaction(async (tx) => {
      await Promise.all([add(tx, LARGE), add(tx, SMALL)]);
    });
    await expect(failed).rejects.toMatchObject(UNAVAILABLE);
    expect(sizes()).toEqual([]);
  });

  test("other writes of a group are kept", async () => {
    const groups = new GroupCommit({ write });
    const got = await Promise.allSettled([
      groups.run((tx) => add(tx, SMALL)),
      groups.run((tx) => add(tx, LARGE)),
      groups.run((tx) => add(tx, SMALL + 1)),
    ]);
    expect(got.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(got[1]).toMatchObject({ reason: UNAVAILABLE });
    expect(sizes()).toEqual([SMALL, SMALL + 1]);
  });
});
