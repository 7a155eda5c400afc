import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import { backUpSqlite } from "../../../src/storage/sqlite/backup.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { inFile } from "../../harness/database-file.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createNextRelease } from "../../harness/next-release.ts";
import { MARQUEE, programPath, start } from "../../harness/process.ts";
import { copyTemplate, templatePath } from "../../harness/template-databases.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { createSmallDataset } from "../small-dataset.ts";

const programOf = (name: string) => programPath(`test/storage/sqlite/${name}`);

let folder: string;
let path: string;
let file: string;
beforeEach(() => {
  folder = createTestFolder();
  path = join(folder, "marquee.db");
  file = join(folder, "backup.db");
  copyTemplate("demo", path);
});

/** Asks a file with a connection of its own. */
function ask(of: string, sql: string): unknown[] {
  return inFile(of, (database) => database.prepare(sql).raw().all(), { readonly: true });
}

const pause = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const COUNTS =
  "SELECT (SELECT count(*) FROM organization), (SELECT count(*) FROM project), (SELECT count(*) FROM account)";

type Backup = typeof import("../../../src/storage/sqlite/backup.ts");

describe("a backup", () => {
  test("is one file for its owner's eyes, which SQLite opens as it is", async () => {
    const before = readdirSync(folder);
    const { bytes, migration, counts } = await backUpSqlite(path, file);
    expect(readdirSync(folder)).toEqual([...before, "backup.db"].sort());
    const stats = statSync(file);
    expect([stats.size, (stats.mode & 0o777).toString(8)]).toEqual([bytes, "600"]);
    expect(ask(file, "PRAGMA journal_mode")).toEqual([["delete"]]);
    expect(ask(file, "PRAGMA integrity_check")).toEqual([["ok"]]);
    expect(ask(file, "PRAGMA user_version")).toEqual([[migration]]);
    expect(Object.fromEntries(counts)).toMatchObject({
      organizations: ask(path, "SELECT count(*) FROM organization").flat()[0],
      "content items": ask(path, "SELECT count(*) FROM content").flat()[0],
    });
    const all = "SELECT kind, id, revision, doc FROM content ORDER BY item";
    expect(ask(file, all)).toEqual(ask(path, all));
  });

  test("holds what is only in the log of a store that is open", async () => {
    const store = openSqliteStore(path);
    await store.secrets.getOrCreate("late", () => Uint8Array.of(7));
    await backUpSqlite(path, file);
    expect(ask(file, "SELECT count(*) FROM secret WHERE name = 'late'")).toEqual([[1]]);
    await store.close();
  });

  test("is of one moment and comes to its end while another process never stops writing", async () => {
    const child = start(MARQUEE.program, [programOf("rows-process.ts"), path, "write"]);
    await child.printed(/ready/);
    let reports = 0;
    await backUpSqlite(path, file, {
      onProgress: () => {
        reports += 1;
        pause(20);
      },
    });
    const [[organizations, ...others] = []] = ask(file, COUNTS) as number[][];
    const [[after = 0] = []] = ask(path, COUNTS) as number[][];
    child.child.kill("SIGKILL");
    await child.finished;
    const demo = ask(templatePath("demo"), COUNTS) as number[][];
    const written = (counts: readonly (number | undefined)[]) =>
      counts.map((count, index) => (count ?? 0) - (demo[0]?.[index] ?? 0));
    const got = written([organizations, ...others]);
    expect(got[0]).toBeGreaterThan(10);
    expect(new Set(got).size, String(got)).toBe(1);
    expect(reports).toBeGreaterThan(4);
    expect(after).toBeGreaterThan((organizations ?? 0) + 20);
    expect(ask(file, "PRAGMA integrity_check")).toEqual([["ok"]]);
  });

  test.each(["copy", "check"])(
    "that is killed in its %s leaves no file that looks whole, and says so the next time",
    async (step) => {
      const child = start(MARQUEE.program, [programOf("backup-process.ts"), path, file, step]);
      await child.printed(/half-way/);
      child.child.kill("SIGKILL");
      await child.finished;
      expect(existsSync(file)).toBe(false);
      const partial = readFileSync(`${file}.partial`);
      if (step === "check") expect(partial.length).toBe(statSync(path).size);
      await expect(backUpSqlite(path, file)).rejects.toMatchObject({
        code: Code.ALREADY_EXISTS,
        reason: "COPY_EXISTS",
        message: expect.stringContaining("backup.db.partial exists"),
      });
      expect(readFileSync(`${file}.partial`).equals(partial)).toBe(true);
    },
  );

  test("changes nothing in an older database, which an upgrade may go wrong with", async () => {
    const next = createNextRelease();
    const later = await next.load<Backup>("storage/sqlite/backup.ts");
    const { migration } = await later.backUpSqlite(path, file);
    next.remove();
    expect(migration).toBe(next.number - 1);
    expect(ask(path, "PRAGMA user_version")).toEqual([[migration]]);
  });
});

describe("what is rejected leaves no file behind", () => {
  const cases: readonly (readonly [string, string, () => unknown])[] = [
    ["a database that is not there", "DATABASE_UNAVAILABLE", () => (path = `${path}-not`)],
    ["a folder that is not there", "DATABASE_UNAVAILABLE", () => (path = join(folder, "a/b.db"))],
    ["what is no database", "DATABASE_UNAVAILABLE", () => writeFileSync(path, "x".repeat(9_999))],
    ["an empty file", "NO_MARQUEE_DATABASE", () => writeFileSync(path, "")],
    [
      "leases",
      "NO_MARQUEE_DATABASE",
      async () => {
        await openSqliteStore(path).close();
        path = `${path}-leases`;
      },
    ],
    ["a newer release's database", "DATABASE_TOO_NEW", () => write("PRAGMA user_version = 999999")],
    [
      "a broken reference",
      "DATABASE_BROKEN",
      () => write("PRAGMA foreign_keys = OFF; DELETE FROM organization"),
    ],
  ];
  const write = (sql: string) => {
    const database = new Database(path);
    database.exec(sql);
    database.close();
  };
  test.each(cases)("%s", async (_, reason, change) => {
    await change();
    const names = readdirSync(folder);
    await expect(backUpSqlite(path, file)).rejects.toMatchObject({ reason });
    expect(readdirSync(folder)).toEqual(names);
  });

  test("a file that exists, which stays as it is", async () => {
    writeFileSync(file, "mine");
    await expect(backUpSqlite(path, file)).rejects.toMatchObject({
      code: Code.ALREADY_EXISTS,
      reason: "BACKUP_EXISTS",
    });
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  test.each(["-wal", "-shm", "-journal"])("the name of the database with %s", async (suffix) => {
    const names = readdirSync(folder);
    await expect(backUpSqlite(path, `${path}${suffix}`)).rejects.toMatchObject({
      reason: "BACKUP_EXISTS",
      message: `${path}${suffix} is a file of the database`,
    });
    expect(readdirSync(folder)).toEqual(names);
  });

  test("a folder for the file that is not there", async () => {
    await expect(backUpSqlite(path, join(folder, "no/b.db"))).rejects.toThrow(/^ENOENT/);
  });

  test("a page that is broken", async () => {
    const bytes = readFileSync(path);
    bytes.fill(0xff, 3 * 4_096, 4 * 4_096);
    writeFileSync(path, bytes);
    const names = readdirSync(folder);
    await expect(backUpSqlite(path, file)).rejects.toMatchObject({ reason: "DATABASE_BROKEN" });
    expect(readdirSync(folder)).toEqual(names);
  });
});

test("a small database, of a few pages, is backed up, too", async () => {
  const small = join(folder, "small.db");
  const store = openSqliteStore(small);
  await loadDataset(store, createSmallDataset());
  await store.close();
  const { counts } = await backUpSqlite(small, file);
  expect(Object.fromEntries(counts)).toMatchObject({ organizations: 2, projects: 3, accounts: 3 });
});
