import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Database from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { programPath } from "../../harness/process.ts";
import { copyTemplate } from "../../harness/template-databases.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { createSmallDataset } from "../small-dataset.ts";

const PROGRAM = programPath("test/storage/sqlite/writer-process.ts");

let file: string;

beforeEach(() => {
  file = join(createTestFolder(), "marquee.db");
});

test("processes that open a new file at once all open it, migrated once", async () => {
  const exits = await Promise.all(Array.from({ length: 3 }, () => finish(startWriters(1, 0))));
  expect(exits).toEqual([0, 0, 0]);
});

test("writers of two processes and this one behave as one after the other", async () => {
  const store = await load();
  const children = [startWriters(1, 100), startWriters(1, 100)];
  const ends = children.map(finish);
  for (let round = 0; round < 100; round += 1) {
    await store.in("acme").documents.annotation.update("annotation-1", ({ value }) => ({
      ...value,
      order: value.order + 1n,
    }));
  }
  expect(await Promise.all(ends)).toEqual([0, 0]);
  const { value, revision } = await store.in("acme").documents.annotation.get("annotation-1");
  expect([value.order, revision]).toEqual([301n, 301]);
  await store.close();
});

test("an acknowledged write survives the death of its process", async () => {
  await (await load()).close();
  const child = startWriters(1);
  let acknowledged = 1n;
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    acknowledged = BigInt(line);
    if (acknowledged >= 60n) child.kill("SIGKILL");
  }
  expect(acknowledged).toBeGreaterThanOrEqual(60n);
  const store = openSqliteStore(file);
  const { value } = await store.in("acme").documents.annotation.get("annotation-1");
  expect(value.order).toBeGreaterThanOrEqual(acknowledged);
  expect(value.order).toBeLessThanOrEqual(acknowledged + 1n);
  await store.close();
});

test("writes that share a commit survive the death of their process, each whole", async () => {
  await (await load()).close();
  const child = startWriters(16);
  const acknowledged: number[] = [];
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    acknowledged.push(Number(line));
    if (acknowledged.length >= 300) child.kill("SIGKILL");
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(300);
  // Every value was given to one writer only.
  expect(acknowledged).toEqual(Array.from(acknowledged, (_, index) => index + 2));
  const database = new Database(file, { readonly: true });
  const secrets = database.prepare("SELECT count(*) FROM secret WHERE name LIKE 'order-%'").pluck();
  const store = openSqliteStore(file);
  const { value } = await store.in("acme").documents.annotation.get("annotation-1");
  expect(Number(value.order)).toBeGreaterThanOrEqual(acknowledged.at(-1) ?? Number.NaN);
  expect(secrets.get()).toBe(Number(value.order) - 1);
  database.close();
  await store.close();
});

async function load() {
  copyTemplate("empty", file);
  const store = openSqliteStore(file);
  await loadDataset(store, createSmallDataset());
  return store;
}

function startWriters(writers: number, count = Number.POSITIVE_INFINITY): ChildProcess {
  const args = [PROGRAM, file, `${writers}`, `${count}`];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function finish(child: ChildProcess): Promise<unknown> {
  child.stdout?.resume();
  const [code] = await once(child, "exit");
  return code;
}
