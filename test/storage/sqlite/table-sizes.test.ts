import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { TableSizes } from "../../../src/storage/sqlite/table-sizes.ts";
import { MARQUEE, programPath, run } from "../../harness/process.ts";
import { createTestFolder } from "../../harness/test-folder.ts";

const HOUR = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

test("tables are measured at most once an hour, and the last sizes are returned meanwhile", async () => {
  const path = join(createTestFolder(), "marquee.db");
  await openSqliteStore(path).close();
  const database = new Database(path);
  onTestFinished(() => void database.close());
  const sizes = new TableSizes(path);
  onTestFinished(() => sizes.close());
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  expect(sizes.read().size).toBe(0);
  await expect.poll(() => sizes.read().size).toBeGreaterThan(0);
  const before = sizes.read();
  database.exec("insert into secret (name, value) values ('large', zeroblob(100000))");
  now.mockReturnValue(HOUR);
  expect(sizes.read()).toBe(before);
  now.mockReturnValue(HOUR + 1);
  expect(sizes.read()).toBe(before);
  await expect.poll(() => sizes.read()).not.toBe(before);
  const grown = (sizes.read().get("secret") ?? 0) - (before.get("secret") ?? 0);
  expect(grown).toBeGreaterThanOrEqual(100_000);
  expect(grown).toBeLessThan(120_000);
});

test("a file that cannot be read has no sizes, and is measured again in an hour", async () => {
  const path = join(createTestFolder(), "marquee.db");
  const ended = vi.spyOn(Worker.prototype, "emit");
  const sizes = new TableSizes(path);
  onTestFinished(() => sizes.close());
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  expect(sizes.read().size).toBe(0);
  await expect.poll(() => ended.mock.calls.map(([name]) => name)).toContain("exit");
  expect(sizes.read().size).toBe(0);
  await openSqliteStore(path).close();
  now.mockReturnValue(HOUR + 1);
  await expect.poll(() => sizes.read().get("project")).toBeGreaterThan(0);
});

test("a measurement can end while its thread loads SQLite, which would abort the process", async () => {
  const path = join(createTestFolder(), "marquee.db");
  await openSqliteStore(path).close();
  const program = programPath("test/storage/sqlite/table-sizes-process.ts");
  expect(await run(MARQUEE.program, [program, path])).toMatchObject({ code: 0, stderr: "" });
});
