import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import { takeAlone } from "../../../src/storage/sqlite/bulk-mode.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { inFile } from "../../harness/database-file.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createFileFolder } from "../../harness/test-folder.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";

const folder = createFileFolder();

async function createDatabase(name: string): Promise<string> {
  const path = join(folder, name);
  const store = openSqliteStore(path);
  await loadDataset(store, createSmallDataset({ events: [] }));
  await store.close();
  return path;
}

/** Reads the journal mode, from the file itself. */
function readMode(path: string): unknown {
  return inFile(path, (it) => it.pragma("journal_mode", { simple: true }), { readonly: true });
}

const toBatches = (id: string) => [
  [{ kind: "event" as const, message: createEvent(id, { projectId: ALPHA }), line: 1 }],
];

test("a bulk load that is alone writes no log, and whoever opens the file meanwhile waits for it", async () => {
  const path = await createDatabase("waiting.db");
  const store = openSqliteStore(path, { isBulk: true });
  async function* batches() {
    yield* toBatches("new");
    expect(existsSync(`${path}-wal`)).toBe(false);
    expect(() => openSqliteStore(path, { busyTimeoutMs: 0 })).toThrow(
      expect.objectContaining({ code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" }),
    );
  }
  await store.importRecords(batches());
  await store.close();
  const reopened = openSqliteStore(path);
  expect(await reopened.in("acme").documents.event.getMany(["new"])).toHaveLength(1);
  await reopened.close();
  expect(readMode(path)).toBe("wal");
});

test("a bulk load beside another process writes the log, so that the other reads on", async () => {
  const path = await createDatabase("beside.db");
  const other = openSqliteStore(path);
  const store = openSqliteStore(path, { isBulk: true });
  async function* batches() {
    yield* toBatches("new");
    const page = await other.in("acme").documents.event.getMany(["new"]);
    expect(page).toEqual([]);
  }
  await store.importRecords(batches());
  expect(existsSync(`${path}-wal`)).toBe(true);
  await store.close();
  await other.close();
});

test("of a bulk load that is killed nothing remains", async () => {
  const path = await createDatabase("killed.db");
  const killed = join(folder, "copy.db");
  const writer = new Database(path);
  expect(takeAlone(writer)).toBe(true);
  writer.pragma("cache_size = 10");
  writer.exec("begin immediate");
  writer.exec("update project set revision = 99");
  const insert = writer.prepare("insert into content_word values (?, 'word', 1, 1)");
  for (let number = 0; number < 10_000; number += 1) insert.run(number);
  for (const suffix of ["", "-journal"]) copyFileSync(path + suffix, killed + suffix);
  writer.exec("rollback");
  writer.close();

  const store = openSqliteStore(killed);
  const database = new Database(killed, { readonly: true });
  expect(database.prepare("select count(*) as words from content_word").get()).toEqual({
    words: 0,
  });
  expect(database.prepare("select max(revision) < 99 as isOld from project").get()).toEqual({
    isOld: 1,
  });
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
  database.close();
  await store.close();
  expect(readMode(killed)).toBe("wal");
});
