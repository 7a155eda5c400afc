import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { backUpSqlite, restoreSqlite } from "../../../src/storage/sqlite/backup.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { inFile } from "../../harness/database-file.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createNextRelease } from "../../harness/next-release.ts";
import { MARQUEE, programPath, start } from "../../harness/process.ts";
import { createFileFolder, createTestFolder } from "../../harness/test-folder.ts";
import { createSmallDataset } from "../small-dataset.ts";

const ROWS_PROCESS = programPath("test/storage/sqlite/rows-process.ts");

/** A database, and the backup that was made of it before it was changed: what each test gets copies of. */
const prepared = createFileFolder();
beforeAll(async () => {
  const database = join(prepared, "marquee.db");
  const store = openSqliteStore(database);
  await loadDataset(store, createSmallDataset());
  await backUpSqlite(database, join(prepared, "backup.db"));
  await store.in("acme").documents.annotation.update("annotation-1", ({ value }) => ({
    ...value,
    order: 99n,
  }));
  await store.close();
});

let folder: string;
let path: string;
let file: string;
/** A place where nothing is. */
let empty: string;
beforeEach(() => {
  folder = createTestFolder();
  path = join(folder, "marquee.db");
  file = join(folder, "backup.db");
  empty = join(folder, "new/marquee.db");
  for (const name of readdirSync(prepared)) {
    copyFileSync(join(prepared, name), join(folder, name));
  }
});

async function readOrder(of: string): Promise<bigint> {
  const store = openSqliteStore(of);
  const { value } = await store.in("acme").documents.annotation.get("annotation-1");
  await store.close();
  return value.order;
}

/** Starts a process that opens the database, to write rows or to do nothing. */
async function startRows(mode: string) {
  const { child, printed, finished } = start(MARQUEE.program, [ROWS_PROCESS, path, mode]);
  await printed(/ready/);
  return {
    async kill() {
      child.kill("SIGKILL");
      await finished;
    },
  };
}

/** Every table's rows, but for those of indexes. */
function readAll(of: string): unknown {
  const query = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
  return inFile(of, (database) => {
    const names = database.prepare<[], string>(query).pluck().all();
    return names.map((name) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]);
  });
}

/** Restores with the release after this one, whose migration is `sql`. */
async function restoreAsNextRelease(sql: string, ...args: Parameters<typeof restoreSqlite>) {
  const next = createNextRelease(sql);
  try {
    const loaded = await next.load<Restore>("storage/sqlite/backup.ts");
    return { number: next.number, ...(await loaded.restoreSqlite(...args)) };
  } finally {
    next.remove();
  }
}

type Restore = typeof import("../../../src/storage/sqlite/backup.ts");

describe("a restore", () => {
  test("gives the same responses, in a place where nothing was", async () => {
    const got = await restoreSqlite(file, empty);
    expect(got.former).toBeUndefined();
    expect(Object.fromEntries(got.counts)).toMatchObject({ organizations: 2, projects: 3 });
    const mode = statSync(empty).mode & 0o777;
    expect([mode.toString(8), statSync(empty).size % 512]).toEqual(["600", 0]);
    expect(readAll(empty)).toEqual(readAll(file));
    expect(readdirSync(join(folder, "new"))).toEqual(["marquee.db"]);
    expect(await readOrder(empty)).toBe(1n);
  });

  test("with --replace keeps the former database, with what was in its log alone", async () => {
    await (await startRows("write")).kill();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const { former = "" } = await restoreSqlite(file, path, { replace: true });
    expect(former).toBe(`${path}.before-restore`);
    expect(readdirSync(folder).sort()).toEqual(
      ["backup.db", "marquee.db", "marquee.db-leases", "marquee.db.before-restore"].sort(),
    );
    expect(readAll(path)).toEqual(readAll(file));
    expect(JSON.stringify(readAll(former))).toContain("row-10");
    expect([await readOrder(path), await readOrder(former)]).toEqual([1n, 99n]);
  });

  test("replaces a database that is too broken for SQLite, and keeps it", async () => {
    writeFileSync(path, "x".repeat(8_192));
    await restoreSqlite(file, path, { replace: true });
    expect(await readOrder(path)).toBe(1n);
    expect(readFileSync(`${path}.before-restore`, "utf8")).toBe("x".repeat(8_192));
  });

  test("does not take the log of a database that is gone for one of its own", async () => {
    await (await startRows("write")).kill();
    mkdirSync(join(folder, "new"));
    copyFileSync(`${path}-wal`, `${empty}-wal`);
    await expect(restoreSqlite(file, empty)).rejects.toMatchObject({ reason: "DATABASE_EXISTS" });
    const got = await restoreSqlite(file, empty, { replace: true });
    expect(got.former).toBeUndefined();
    expect(readAll(empty)).toEqual(readAll(file));
    expect(existsSync(`${empty}.before-restore-wal`)).toBe(true);
  });

  test("of an older database brings it to the newest migration", async () => {
    const { migration, number } = await restoreAsNextRelease(
      "CREATE TABLE later (x);",
      file,
      empty,
    );
    expect(migration).toBe(number);
    inFile(empty, (restored) => {
      expect(restored.pragma("user_version", { simple: true })).toBe(number);
      expect(restored.prepare("SELECT count(*) AS count FROM later").get()).toEqual({ count: 0 });
    });
  });

  test("into a link replaces what it leads to", async () => {
    const link = join(folder, "link.db");
    symlinkSync(path, link);
    await restoreSqlite(file, link, { replace: true });
    expect(await readOrder(path)).toBe(1n);
    expect(existsSync(`${path}.before-restore`)).toBe(true);
  });
});

describe("a database that somebody has open is not replaced", () => {
  test.each(["idle", "write"])("by a process that is there to %s", async (mode) => {
    const rows = await startRows(mode);
    await expect(restoreSqlite(file, path, { replace: true })).rejects.toMatchObject({
      reason: "DATABASE_IN_USE",
    });
    expect(existsSync(`${path}.before-restore`)).toBe(false);
    expect(existsSync(`${path}.restoring`)).toBe(false);
    await rows.kill();
    await restoreSqlite(file, path, { replace: true });
    expect(await readOrder(path)).toBe(1n);
  });

  test("by this process", async () => {
    const store = openSqliteStore(path);
    await expect(restoreSqlite(file, path, { replace: true })).rejects.toMatchObject({
      reason: "DATABASE_IN_USE",
    });
    await store.in("acme").documents.annotation.update("annotation-1", ({ value }) => ({
      ...value,
      order: 100n,
    }));
    await store.close();
    expect(await readOrder(path)).toBe(100n);
  });
});

describe("what is rejected changes nothing", () => {
  const cut = (length: (size: number) => number) => () => {
    truncateSync(file, length(statSync(file).size));
  };
  /** Takes a copy of the database that is changed. */
  const spoil = (sql: string) => () => {
    file = join(folder, "copy.db");
    copyFileSync(path, file);
    inFile(file, (it) => it.exec(sql));
  };
  const cases: readonly (readonly [string, string, () => unknown])[] = [
    ["no SQLite database", "NO_DATABASE", () => writeFileSync(file, "x".repeat(9_999))],
    ["an empty file", "NO_DATABASE", () => writeFileSync(file, "")],
    [
      "another program's database",
      "NO_MARQUEE_DATABASE",
      () => {
        file = join(folder, "other.db");
        inFile(file, (it) => it.exec("CREATE TABLE organization (id TEXT)"));
      },
    ],
    ["leases", "NO_MARQUEE_DATABASE", () => (file = `${path}-leases`)],
    ["a newer release's database", "DATABASE_TOO_NEW", spoil("PRAGMA user_version = 999999")],
    [
      "a copy with a broken reference",
      "DATABASE_BROKEN",
      spoil("PRAGMA foreign_keys = OFF; DELETE FROM organization"),
    ],
    [
      "a copy with a broken page",
      "DATABASE_BROKEN",
      () => {
        file = join(folder, "copy.db");
        const bytes = readFileSync(path);
        bytes.fill(0xff, 3 * 4_096, 4 * 4_096);
        writeFileSync(file, bytes);
      },
    ],
    ["a backup cut off in a page", "DATABASE_BROKEN", cut((size) => (size >> 1) - 1)],
    ["a backup cut off behind a page", "DATABASE_BROKEN", cut((size) => 4_096 * (size >> 13))],
    ["a backup that lost its last byte", "DATABASE_BROKEN", cut((size) => size - 1)],
    ["a backup of which the header is left", "DATABASE_BROKEN", cut(() => 4_096)],
    ["a database with a log", "BACKUP_IN_USE", () => writeFileSync(`${file}-wal`, "x")],
    ["the database itself", "DATABASE_EXISTS", () => (file = path)],
    [
      "a database kept by a restore before",
      "FORMER_EXISTS",
      () => writeFileSync(`${path}.before-restore`, "precious"),
    ],
    ["a restore that was killed", "COPY_EXISTS", () => writeFileSync(`${path}.restoring`, "")],
  ];
  test.each(cases)("%s", async (_, reason, change) => {
    change();
    const before = readState();
    const got = restoreSqlite(file, path, { replace: true });
    await expect(got).rejects.toMatchObject({ name: "DomainError", reason });
    await expect(got).rejects.toThrow(/^[^\n]+$/);
    expect(readState()).toEqual(before);
  });

  test("a database that is there, without --replace", async () => {
    const before = readState();
    await expect(restoreSqlite(file, path)).rejects.toMatchObject({
      reason: "DATABASE_EXISTS",
      message: expect.stringContaining("--replace"),
    });
    expect(readState()).toEqual(before);
  });

  test("an old database that cannot be migrated", async () => {
    const before = readState();
    await expect(
      restoreAsNextRelease("CREATE TABLE organization (x);", file, path, { replace: true }),
    ).rejects.toMatchObject({
      reason: "DATABASE_BROKEN",
      message: expect.stringContaining("cannot be migrated"),
    });
    expect(readState()).toEqual(before);
  });

  test("a file that is not there", async () => {
    await expect(restoreSqlite(`${file}-not`, path)).rejects.toThrow(/^ENOENT/);
  });
});

function readState() {
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name)).toString("base64")]);
}
