import { join } from "node:path";
import Database from "better-sqlite3";
import { Kysely, sql, type Transaction } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import { ConnectionPool } from "../../../src/storage/connection-pool.ts";
import { createGroupCommit } from "../../../src/storage/sql/group-commit.ts";
import type { Schema } from "../../../src/storage/sql/schema.ts";
import { prepareOnce } from "../../../src/storage/sqlite/prepared-statements.ts";
import { ConnectionQueue } from "../../../src/storage/sqlite/single-connection.ts";
import { OpenTransaction, WriterDialect } from "../../../src/storage/sqlite/writer-dialect.ts";
import { createFolder, type Folder } from "../../harness/folder.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };

/** Pages of a database that has room for small rows only. */
const PAGES = 8;

let folder: Folder;
let connection: Database.Database;
let write: Kysely<Schema>;
beforeEach(() => {
  folder = createFolder();
  connection = new Database(join(folder.path, "full.db"));
  connection.pragma("journal_mode = WAL");
  connection.exec("CREATE TABLE entry (value BLOB NOT NULL) STRICT");
  connection.pragma(`max_page_count = ${PAGES}`);
  const transaction = new OpenTransaction(connection);
  const queue = new ConnectionQueue();
  const pool = new ConnectionPool("write", () => queue.state);
  const database = prepareOnce(connection, pool, () => transaction.check());
  const options = { database, queue, transaction, busyTimeoutMs: 100, onCommit: () => {} };
  write = new Kysely({ dialect: new WriterDialect(options) });
});
afterEach(async () => {
  await write.destroy();
  folder.remove();
});

const add = (tx: Transaction<Schema>, bytes: number) =>
  sql`insert into entry values (zeroblob(${bytes}))`.execute(tx);
const SMALL = 10;
const LARGE = 100_000;

const sizes = () => connection.prepare("SELECT length(value) FROM entry").pluck().all();

describe("on a full disk, where SQLite ends the transaction itself,", () => {
  test("a write is UNAVAILABLE and keeps nothing, and later ones succeed", async () => {
    const failed = write.transaction().execute(async (tx) => {
      await add(tx, SMALL);
      await add(tx, LARGE);
    });
    await expect(failed).rejects.toMatchObject(UNAVAILABLE);
    expect(sizes()).toEqual([]);
    await write.transaction().execute((tx) => add(tx, SMALL));
    expect(sizes()).toEqual([SMALL]);
  });

  test("statements behind the one that failed are not kept either", async () => {
    const failed = write.transaction().execute(async (tx) => {
      await Promise.all([add(tx, LARGE), add(tx, SMALL)]);
    });
    await expect(failed).rejects.toMatchObject(UNAVAILABLE);
    expect(sizes()).toEqual([]);
  });

  test("other writes of a group are kept", async () => {
    const commit = createGroupCommit({ write });
    const got = await Promise.allSettled([
      commit((tx) => add(tx, SMALL)),
      commit((tx) => add(tx, LARGE)),
      commit((tx) => add(tx, SMALL + 1)),
    ]);
    expect(got.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(got[1]).toMatchObject({ reason: UNAVAILABLE });
    expect(sizes()).toEqual([SMALL, SMALL + 1]);
  });
});
