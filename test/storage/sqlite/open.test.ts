import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import { openStore } from "../../../src/storage/open.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { inFile } from "../../harness/database-file.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { newestMigration } from "../../harness/next-release.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { createSmallDataset } from "../small-dataset.ts";

const NEWEST = newestMigration("sqlite");
const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };

let folder: string;
let file: string;

beforeEach(() => {
  folder = createTestFolder();
  file = join(folder, "marquee.db");
});
afterEach(() => vi.restoreAllMocks());

/** Opens a store and gets every connection that it keeps. */
function openWithConnections() {
  const pragma = vi.spyOn(Database.prototype, "pragma");
  const store = openSqliteStore(file);
  const made = [...new Set(pragma.mock.contexts as Database.Database[])];
  const connections = made.filter(({ open }) => open);
  pragma.mockRestore();
  return { store, connections };
}

describe("a write that was acknowledged is on the disk", () => {
  test("every connection is in WAL mode and the writer syncs fully", async () => {
    const { store, connections } = openWithConnections();
    const ask = (name: string) => connections.map((it) => it.pragma(name, { simple: true }));
    // The third only watches for changes, the fourth writes leases: those may be lost.
    expect(ask("query_only")).toEqual([0, 1, 0, 0]);
    expect(ask("journal_mode")).toEqual(["wal", "wal", "wal", "wal"]);
    expect([ask("synchronous")[0], ask("synchronous")[3]]).toEqual([2, 1]);
    expect(ask("foreign_keys")).toEqual([1, 1, 1, 1]);
    await store.close();
  });

  test("the reader cannot write", async () => {
    const { store, connections } = openWithConnections();
    expect(() => connections[1]?.exec("DELETE FROM organization")).toThrow(/readonly/);
    await store.close();
  });
});

test("every file of the database is for its owner's eyes only", async () => {
  const store = openSqliteStore(file);
  await store.secrets.getOrCreate("key", () => new Uint8Array([1]));
  const modes = readdirSync(folder).map((name) => {
    const { mode } = statSync(join(folder, name));
    return `${name} ${(mode & 0o777).toString(8)}`;
  });
  const files = ["", "-leases", "-leases-shm", "-leases-wal", "-shm", "-wal"];
  expect(modes.sort()).toEqual(files.map((suffix) => `marquee.db${suffix} 600`).sort());
  await store.close();
});

test("processes that open a new file at the same moment wait for each other", async () => {
  const source = `
    import { workerData, parentPort } from "node:worker_threads";
    import { openSqliteStore } from ${JSON.stringify(import.meta.resolve("../../../src/storage/sqlite/open.ts"))};
    const { arrived, path } = workerData;
    for (let round = 1; round <= 15; round += 1) {
      Atomics.add(arrived, 0, 1);
      while (Atomics.load(arrived, 0) < 2 * round);
      await openSqliteStore(path + round).close();
    }
    parentPort.postMessage("done");`;
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const threads = [1, 2].map(
    () =>
      new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
        workerData: { arrived, path: file },
      }),
  );
  try {
    for (const [message] of await Promise.all(threads.map((thread) => once(thread, "message")))) {
      expect(message).toBe("done");
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
});

describe("migrations", () => {
  test("run once, and the number of the last one is kept", async () => {
    const exec = vi.spyOn(Database.prototype, "exec");
    const first = openSqliteStore(file);
    expect(exec.mock.calls.length).toBe(NEWEST + newestMigration("sqlite-leases"));
    await loadDataset(first, createSmallDataset());
    await first.close();
    exec.mockClear();

    const second = openSqliteStore(file);
    expect(exec.mock.calls.length).toBe(0);
    expect(await second.isEmpty()).toBe(false);
    await second.close();
    expect(readVersion()).toBe(NEWEST);
  });

  test.each([
    ["a newer release", 0x4d617271, `but this release supports migrations up to ${NEWEST}`],
    ["another line of releases", 0, "of another line of releases; export its projects"],
  ])("a database of %s is rejected by its file and left alone", (_of, application, says) => {
    inFile(file, (it) => {
      it.pragma(`user_version = ${NEWEST + 1}`);
      it.pragma(`application_id = ${application}`);
    });
    const error = { code: Code.FAILED_PRECONDITION, reason: "DATABASE_TOO_NEW" };
    expect(() => openSqliteStore(file)).toThrow(expect.objectContaining(error));
    expect(() => openSqliteStore(file)).toThrow(`${file} is at migration ${NEWEST + 1}`);
    expect(() => openSqliteStore(file)).toThrow(says);
    expect(readVersion()).toBe(NEWEST + 1);
    expect(listTables()).toEqual([]);
  });

  test("a database is marked as one of this line of releases", async () => {
    await openSqliteStore(file).close();
    const mark = inFile(file, (it) => it.pragma("application_id", { simple: true }));
    expect(mark).toBe(0x4d617271);
  });

  test("a migration that fails leaves nothing of the others", () => {
    inFile(file, (it) => it.exec("CREATE TABLE transaction_record (id TEXT)"));
    expect(() => openSqliteStore(file)).toThrow();
    expect(readVersion()).toBe(0);
    expect(listTables()).toEqual(["transaction_record"]);
  });

  const readVersion = () => inFile(file, (it) => it.pragma("user_version", { simple: true }));
  const listTables = () =>
    inFile(file, (it) => it.prepare("SELECT name FROM sqlite_schema").pluck().all());
});

test("a file that is no database is rejected, and stays as it is", () => {
  const text = "This is a text, long enough to be taken for a header. ".repeat(40);
  writeFileSync(file, text);
  const error = catchError(() => openSqliteStore(file));
  expect(error).toMatchObject({ code: Code.FAILED_PRECONDITION, reason: "NO_DATABASE" });
  expect(readFileSync(file, "utf8")).toBe(text);
});

describe("a database that cannot be opened is UNAVAILABLE", () => {
  const cases: readonly (readonly [string, () => string])[] = [
    [
      "a folder in the place of the file",
      () => {
        mkdirSync(file);
        return file;
      },
    ],
    [
      "a folder that cannot be made",
      () => {
        writeFileSync(file, "");
        return join(file, "below", "marquee.db");
      },
    ],
  ];
  test.each(cases)("%s", (_, prepare) => {
    const path = prepare();
    const error = catchError(() => openSqliteStore(path));
    expect(error).toMatchObject(UNAVAILABLE);
    expect(error.message).toBe("database unavailable");
  });

  test("folders on the way to the file are made", async () => {
    const store = await openStore({
      engine: "sqlite",
      path: join(folder, "a", "b", "marquee.db"),
    });
    expect(await store.isEmpty()).toBe(true);
    await store.close();
  });

  test("no connection is left open behind a failure", () => {
    inFile(file, (it) => it.pragma("user_version = 99"));
    const close = vi.spyOn(Database.prototype, "close");
    expect(() => openSqliteStore(file)).toThrow();
    expect((close.mock.contexts as Database.Database[]).map((it) => it.open)).toEqual([false]);
  });
});

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it did not throw");
}
