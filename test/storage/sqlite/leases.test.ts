import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { LeaseClaim, LeaseResult } from "../../../src/storage/contract/playback.ts";
import { backUpSqlite, restoreSqlite } from "../../../src/storage/sqlite/backup.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { inFile } from "../../harness/database-file.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { createNextRelease } from "../../harness/next-release.ts";
import { programPath } from "../../harness/process.ts";
import { copyTemplate } from "../../harness/template-databases.ts";
import { createTestFolder } from "../../harness/test-folder.ts";
import { ALPHA, createSmallDataset } from "../small-dataset.ts";

const PROGRAM = programPath("test/storage/sqlite/lease-process.ts");
const NOW = Date.parse("2026-07-19T19:00:00Z");
const LENGTH_MS = 60_000;
const HELD: LeaseResult = { kind: "held" };

let file: string;
beforeEach(async () => {
  file = join(createTestFolder(), "marquee.db");
  copyTemplate("empty", file);
  const store = openSqliteStore(file);
  await loadDataset(store, createSmallDataset());
  await store.close();
});

describe("two processes over one database", () => {
  test("100 players who race for three streams: three win, of both together", async () => {
    const children = [startPlayers("a"), startPlayers("b")];
    for (const child of children) expect(await child.next()).toBe("open");
    let held: string[] = [];
    for (const limit of [3, 3, 5]) {
      for (const child of children) child.claim(limit);
      const lines = await Promise.all(children.map((child) => child.next()));
      const now = lines.flatMap((line) => line.split(" ")).filter((key) => key !== "");
      expect(now.length).toBe(limit);
      // Whoever held a stream before has renewed it.
      expect(now).toEqual(expect.arrayContaining(held));
      expect(readLive().sort()).toEqual(now.toSorted());
      held = now;
    }
    for (const child of children) expect(await child.end()).toBe(0);
  });

  test("a lease survives the death of its process", async () => {
    const child = startPlayers("a");
    await child.next();
    child.claim(1);
    const key = await child.next();
    child.kill();
    const store = openSqliteStore(file);
    const full = { kind: "full", sessionKeys: [key], freeTime: new Date(NOW + LENGTH_MS) };
    expect(await store.leases.claim(claim("b", 1, LENGTH_MS - 1))).toEqual(full);
    expect(await store.leases.claim(claim("b", 1, LENGTH_MS))).toEqual(HELD);
    await store.close();
  });
});

describe("leases and content do not disturb each other", () => {
  test("a claim returns while an import holds the write lock of the content", async () => {
    const store = openSqliteStore(file, { busyTimeoutMs: 0 });
    const blocker = new Database(file);
    blocker.exec("BEGIN IMMEDIATE");
    expect(await store.leases.claim(claim("a", 1))).toEqual(HELD);
    await store.leases.release(claim("a", 1));
    blocker.exec("COMMIT");
    blocker.close();
    await store.close();
  });

  test("no process sees a change of the content where there are claims only", async () => {
    const [store, other] = [openSqliteStore(file), openSqliteStore(file)];
    const before = [store.accessVersion(), other.accessVersion()];
    for (let round = 0; round < 5; round += 1) {
      await store.leases.claim(claim(`s-${round}`, 3));
      // Longer than a change by others may go unseen.
      await setTimeout(120);
      expect([store.accessVersion(), other.accessVersion()]).toEqual(before);
    }
    for (const each of [store, other]) await each.close();
  });
});

describe("while another process holds the lock of the leases", () => {
  test("a claim waits for its turn, and gives up as UNAVAILABLE", async () => {
    const [patient, hasty] = [
      openSqliteStore(file, { busyTimeoutMs: 20_000 }),
      openSqliteStore(file, { busyTimeoutMs: 30 }),
    ];
    const blocker = new Database(`${file}-leases`);
    blocker.exec("BEGIN IMMEDIATE");
    const waiting = patient.leases.claim(claim("a", 1));
    await expect(hasty.leases.claim(claim("b", 1))).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      reason: "DATABASE_UNAVAILABLE",
    });
    blocker.exec("COMMIT");
    expect(await waiting).toEqual(HELD);
    blocker.close();
    for (const each of [patient, hasty]) await each.close();
  });
});

test("a claim clears away at most 100 leases that have ended, of any viewer", async () => {
  const store = openSqliteStore(file);
  for (let index = 0; index < 250; index += 1) {
    await store.leases.claim({ ...claim("s", 1), userId: `other-${index}` });
  }
  expect(countRows()).toBe(250);
  await store.leases.claim(claim("late", 1, LENGTH_MS - 1));
  expect(countRows()).toBe(251);
  for (const want of [151, 51, 1, 1]) {
    await store.leases.claim(claim("late", 1, LENGTH_MS));
    expect(countRows()).toBe(want);
  }
  await store.close();
});

describe("leases of another release", () => {
  const AS_NEWER = "ALTER TABLE lease RENAME TO lease_by_viewer; PRAGMA user_version = 99";
  const spoil = () => inFile(`${file}-leases`, (it) => it.exec(AS_NEWER));
  const isSetAside = () => existsSync(`${file}-leases.set-aside`);

  test("are set aside after the restore of a backup from before an upgrade", async () => {
    const backup = `${file}.backup`;
    await backUpSqlite(file, backup, {});
    const next = createNextRelease();
    const leases = "src/storage/migrations/sqlite-leases/0002_next.sql";
    writeFileSync(join(next.path, leases), "ALTER TABLE lease ADD COLUMN device TEXT;");
    const newer = await next.load<{ openSqliteStore: typeof openSqliteStore }>(
      "storage/sqlite/open.ts",
    );
    const upgraded = newer.openSqliteStore(file);
    await upgraded.close();
    expect(() => openSqliteStore(file)).toThrow(`${file} is at migration ${next.number}, but`);
    next.remove();

    await restoreSqlite(backup, file, { replace: true });
    const { log, lines } = captureLog();
    const store = openSqliteStore(file, { log });
    expect(await store.leases.claim(claim("a", 1))).toEqual(HELD);
    await store.close();
    expect(lines).toMatchObject([
      {
        msg: "leases of another release set aside",
        kept: `${file}-leases.set-aside`,
        cause: expect.stringContaining(`${file}-leases is at migration 2`),
      },
    ]);
    expect(isSetAside()).toBe(true);
  });

  test("are set aside once by processes that start together, which then share one file", async () => {
    spoil();
    const children = ["a", "b", "c"].map(startPlayers);
    for (const child of children) expect(await child.next()).toBe("open");
    expect(isSetAside()).toBe(true);
    for (const child of children) child.claim(2);
    const held = await Promise.all(children.map((child) => child.next()));
    expect(held.join(" ").trim().split(/ +/)).toHaveLength(2);
    for (const child of children) expect(await child.end()).toBe(0);
  });

  test("stay while a process has them open, and the error names their file", () => {
    spoil();
    const newer = new Database(`${file}-leases`);
    newer.pragma("user_version");
    newer.prepare("SELECT count(*) FROM lease_by_viewer").get();
    expect(() => openSqliteStore(file, { busyTimeoutMs: 30 })).toThrow(
      expect.objectContaining({
        reason: "DATABASE_IN_USE",
        message: `${file}-leases is in use; stop the process that has it open`,
      }),
    );
    expect(isSetAside()).toBe(false);
    newer.close();
  });

  test("a file that is no database is named", () => {
    writeFileSync(`${file}-leases`, "x".repeat(9_999));
    expect(() => openSqliteStore(file)).toThrow(`${file}-leases is not an SQLite database`);
  });
});

function claim(sessionKey: string, limit: number, at: number = 0): LeaseClaim {
  return {
    projectId: ALPHA,
    userId: "user-1",
    sessionKey,
    videoId: "video-1",
    limit,
    now: new Date(NOW + at),
    expireTime: new Date(NOW + at + LENGTH_MS),
  };
}

function countRows(): unknown {
  return inFile(`${file}-leases`, (database) =>
    database.prepare("SELECT count(*) FROM lease").pluck().get(),
  );
}

/** The keys of the sessions that hold a stream, of whatever viewer. */
function readLive(): unknown[] {
  return inFile(`${file}-leases`, (database) =>
    database
      .prepare("SELECT session_key FROM lease WHERE expire_time > ?")
      .pluck()
      .all(NOW * 1_000),
  );
}

/** Starts a process whose 50 players claim streams of the same viewer. */
function startPlayers(name: string) {
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, file, name, `${NOW}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.stdout === null) throw new Error("the process has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async (): Promise<string> => String((await lines.next()).value),
    claim: (limit: number) => child.stdin?.write(`${limit}\n`),
    kill: () => child.kill("SIGKILL"),
    async end(): Promise<unknown> {
      child.stdin?.end();
      const [code] = await once(child, "exit");
      return code;
    },
  };
}
