import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { describeFailure } from "../../src/cli/failure.ts";
import { Code } from "../../src/domain/base/errors.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { UNLOCKED } from "../../src/storage/contract/write-scope.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { WriteWatch } from "../../src/storage/sql/base/write-watch.ts";
import { findWriteFailure } from "../../src/storage/sqlite/errors.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { SqliteWriter } from "../../src/storage/sqlite/sqlite-writer.ts";
import { captureLog } from "../harness/captured-log.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { ENGINE } from "../harness/engine.ts";
import { createDatabase, dropDatabase, queryDatabase } from "../harness/postgres-databases.ts";
import { startPostgres, toDatabaseUrl } from "../harness/postgres-server.ts";
import { startStandby } from "../harness/postgres-standby.ts";
import { createTestFolder } from "../harness/test-folder.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };
const LOST = { level: 50, msg: "database cannot be written" };
const BACK = { level: 30, msg: "database can be written again", lost_ms: expect.any(Number) };

let secrets = 0;

/** Writes a secret that does not exist. */
function write(store: Store): Promise<unknown> {
  secrets += 1;
  return store.secrets.getOrCreate(`secret-${secrets}`, () => Buffer.from("value"));
}

const isWritable = async (store: Store) => (await store.readiness()).writable;

describe.runIf(ENGINE === "sqlite")("a database file", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function createFile(): Promise<string> {
    const path = join(createTestFolder(), "marquee.db");
    await openSqliteStore(path).close();
    return path;
  }

  test("cannot be written while its disk is full, and can be as soon as there is room", async () => {
    const connection = new Database(await createFile());
    onTestFinished(() => void connection.close());
    vi.useFakeTimers({ toFake: ["clearTimeout", "setTimeout"] });
    const writer = new SqliteWriter(connection, { name: "write", busyTimeoutMs: 100 });
    const { log, lines } = captureLog();
    const watch = new WriteWatch(writer, { findCause: findWriteFailure, log });
    const add = (name: string, bytes: number) =>
      watch.write(UNLOCKED, (tx) =>
        tx.transaction((part) =>
          part.run(sql`insert into secret (name, value) values (${name}, zeroblob(${bytes}))`),
        ),
      );
    const limit = (more: number) => {
      const count = Number(connection.pragma("page_count", { simple: true }));
      connection.pragma(`max_page_count = ${count + more}`);
    };
    limit(0);
    await add("small", 1);
    expect(watch.isWritable).toBe(true);
    for (const name of ["one", "two"]) {
      await expect(add(name, 100_000)).rejects.toMatchObject(UNAVAILABLE);
    }
    expect(watch.isWritable).toBe(false);
    // There is room for a small write, and for no large one.
    limit(2);
    await add("smaller", 1);
    await vi.advanceTimersByTimeAsync(2_000);
    // The probe has ended if another one waits.
    await expect.poll(() => watch.isWritable || vi.getTimerCount() === 1).toBe(true);
    expect(watch.isWritable).toBe(false);
    expect(lines).toMatchObject([{ ...LOST, cause: "the disk is full" }]);
    limit(100);
    await vi.advanceTimersByTimeAsync(2_000);
    await expect.poll(() => watch.isWritable).toBe(true);
    expect(lines).toMatchObject([LOST, BACK]);
    expect(connection.prepare("SELECT name FROM secret").pluck().all()).toEqual([
      "small",
      "smaller",
    ]);
    await expect.poll(() => vi.getTimerCount()).toBe(0);
  });

  test("cannot be written once a page is corrupt, until it is repaired and opened again", async () => {
    const path = await createFile();
    const other = new Database(path);
    const root = other.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'secret'");
    const size = Number(other.pragma("page_size", { simple: true }));
    const position = (Number(root.pluck().get()) - 1) * size;
    other.close();
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(size, 0xff), 0, size, position);
    closeSync(file);
    vi.useFakeTimers({ toFake: ["clearTimeout", "setTimeout"] });
    const { log, lines } = captureLog();
    const store = openSqliteStore(path, { log });
    onTestFinished(store.close);
    expect(await isWritable(store)).toBe(true);
    await expect(write(store)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfter: undefined });
    await expect(write(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await isWritable(store)).toBe(false);
    expect(lines).toMatchObject([{ ...LOST, cause: "the file is corrupt" }]);
    // Nothing waits to try again.
    expect(vi.getTimerCount()).toBe(0);
  });

  test("can be written while another process holds its lock for too long", async () => {
    const path = await createFile();
    const store = openSqliteStore(path, { busyTimeoutMs: 10 });
    onTestFinished(store.close);
    const other = new Database(path);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    await expect(write(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await isWritable(store)).toBe(true);
  });
});

describe.runIf(ENGINE === "postgres")("a database of a server", () => {
  async function open(url: string) {
    const { log, lines } = captureLog();
    const store = await openPostgresStore({ engine: "postgres", url }, { log });
    onTestFinished(store.close);
    return { store, lines };
  }

  /** Lets writes of secrets fail with an SQLSTATE. */
  const fail = (sqlState: string) => `
    create function fail() returns trigger language plpgsql as
      $$ begin raise exception 'failed' using errcode = '${sqlState}'; end $$;
    create trigger fail before insert on secret for each statement execute function fail();
  `;

  test.each([
    ["25006", "the server is read-only, for example a standby"],
    ["53100", "the server's disk is full"],
  ])("cannot be written while writes fail with %s, and can be afterwards", async (state, cause) => {
    const { name, url } = await createDatabase("empty");
    onTestFinished(() => dropDatabase(name));
    const { store, lines } = await open(url);
    await queryDatabase(url, fail(state));
    expect(await isWritable(store)).toBe(true);
    for (const _ of [1, 2]) await expect(write(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await isWritable(store)).toBe(false);
    await queryDatabase(url, "drop function fail cascade");
    await expect.poll(() => isWritable(store), { timeout: 10_000 }).toBe(true);
    expect(lines).toMatchObject([{ ...LOST, cause }, BACK]);
    expect(await queryDatabase(url, "select name from secret")).toEqual([]);
  });

  test.each([
    ["XX001", false],
    ["XX002", false],
    ["40001", true],
    ["57014", true],
  ])("after writes that fail with %s, whether it can be written is %s", async (state, expected) => {
    const { name, url } = await createDatabase("empty");
    onTestFinished(() => dropDatabase(name));
    const { store } = await open(url);
    await queryDatabase(url, fail(state));
    await expect(write(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await isWritable(store)).toBe(expected);
  });

  test.each([
    ["write", write],
    ["read", (store: Store) => store.isEmpty()],
  ])("cannot be written while the server accepts no connection for a %s", async (name, call) => {
    const { name: database, url } = await createDatabase("empty");
    const role = `app_${database}`;
    await queryDatabase(url, `create role ${role} login`);
    await queryDatabase(url, `grant all on all tables in schema public to ${role}`);
    onTestFinished(async () => {
      await queryDatabase(url, `drop owned by ${role}; drop role ${role}`);
      await dropDatabase(database);
    });
    const { store, lines } = await open(url.replace("marquee@", `${role}@`));
    // A probe has a connection.
    if (name === "read") await write(store);
    await queryDatabase(url, `alter role ${role} connection limit 1`);
    for (const _ of [1, 2]) await expect(call(store)).rejects.toMatchObject(UNAVAILABLE);
    await setTimeout(2_500);
    expect(await isWritable(store)).toBe(false);
    await queryDatabase(url, `alter role ${role} connection limit -1`);
    await expect.poll(() => isWritable(store), { timeout: 10_000 }).toBe(true);
    await call(store);
    expect(lines).toMatchObject([
      { ...LOST, cause: "the server accepts no more connections" },
      BACK,
    ]);
  });

  test("cannot be written if its address leads to a standby, until it is promoted", async () => {
    const primary = await startPostgres();
    onTestFinished(primary.stop);
    const url = toDatabaseUrl(primary.socketFolder, "postgres");
    const proxy = await startDatabaseProxy(url);
    onTestFinished(async () => proxy.close());
    const { store, lines } = await open(proxy.url);
    await write(store);
    const standby = await startStandby(primary);
    await standby.catchUp();
    proxy.moveTo(toDatabaseUrl(standby.socketFolder, "postgres"));
    // Until then writes may fail because their connections have ended.
    const responds = async () => (await store.readiness().catch(() => undefined))?.primary;
    await expect.poll(responds, { timeout: 10_000 }).toBe(true);
    for (const _ of [1, 2]) await expect(write(store)).rejects.toMatchObject(UNAVAILABLE);
    expect(await isWritable(store)).toBe(false);
    const started = await open(toDatabaseUrl(standby.socketFolder, "postgres"));
    const failure = await write(started.store).catch(describeFailure);
    expect(failure).toMatch(
      /^database unavailable: the server is read-only, for example a standby: cannot /,
    );
    await standby.run("select pg_promote()");
    await expect.poll(() => isWritable(store), { timeout: 10_000 }).toBe(true);
    await write(store);
    const own = lines.filter(({ msg }) => msg === LOST.msg || msg === BACK.msg);
    expect(own).toMatchObject([
      { ...LOST, cause: "the server is read-only, for example a standby" },
      BACK,
    ]);
  });
});
