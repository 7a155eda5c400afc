import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WriteScope } from "../../../src/storage/contract/write-scope.ts";
import type { Tx } from "../../../src/storage/db/db.ts";
import { build } from "../../../src/storage/db/query.ts";
import { type Connections, inside } from "../../../src/storage/sql/base/connections.ts";
import { inTransaction } from "../../../src/storage/sql/base/in-transaction.ts";
import { createCollections } from "../../../src/storage/sql/content/index/collections.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";
import { SqliteReader } from "../../../src/storage/sqlite/sqlite-db.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";

/** What an engine throws that undid a transaction because of another. */
const CONFLICT = new Error("conflict");
const ERROR = new Error("no");
const SCOPE = { projectIds: ["p"] };

let database: Database.Database;
let locked: WriteScope[];
let connections: Connections;
beforeEach(() => {
  database = new Database(":memory:");
  migrate(database);
  locked = [];
  const write = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
  const changes = { knownRevision: () => 1, accessVersion: () => 1, catchUp: async () => {} };
  const dialect = { ...SQLITE_DIALECT, isRetryable: (error: unknown) => error === CONFLICT };
  connections = {
    read: new SqliteReader(() => database),
    write(scope, run) {
      locked.push(scope);
      return write.transaction(run);
    },
    leases: write,
    dialect,
    changes,
    collections: createCollections(changes),
  };
});
afterEach(() => void database.close());

/** Writes a secret and fails as often as there are errors; returns how often it was called. */
function createSteps(errors: readonly Error[]) {
  const left = [...errors];
  const steps = {
    calls: 0,
    async run(tx: Tx) {
      steps.calls += 1;
      const name = `call-${steps.calls}`;
      await tx.run(build.insertInto("secret").values({ name, value: Uint8Array.of(1) }));
      const error = left.shift();
      if (error !== undefined) throw error;
      return name;
    },
  };
  return steps;
}

const kept = async () => database.prepare("select name from secret").pluck().all();

test("what was undone because of others is tried again, from the lock on", async () => {
  const steps = createSteps([CONFLICT, CONFLICT]);
  expect(await inTransaction(connections, SCOPE, steps.run)).toBe("call-3");
  expect(await kept()).toEqual(["call-3"]);
  expect(locked).toEqual([SCOPE, SCOPE, SCOPE]);
});

test("a scope that is looked up is looked up again", async () => {
  const steps = createSteps([CONFLICT]);
  let number = 0;
  const find = async () => ({ organizationId: `${++number}` });
  await inTransaction(connections, find, steps.run);
  expect(locked).toEqual([{ organizationId: "1" }, { organizationId: "2" }]);
});

test("any other failure is the caller's at once", async () => {
  const steps = createSteps([ERROR]);
  await expect(inTransaction(connections, SCOPE, steps.run)).rejects.toBe(ERROR);
  expect([steps.calls, await kept()]).toEqual([1, []]);
});

test("it is given up in the end, and at once where it may run only once", async () => {
  const always = Array.from({ length: 100 }, () => CONFLICT);
  for (const [attempts, want] of [
    [undefined, 8],
    [1, 1],
  ] as const) {
    const steps = createSteps(always);
    await expect(inTransaction(connections, SCOPE, steps.run, attempts)).rejects.toBe(CONFLICT);
    expect(steps.calls).toBe(want);
  }
});

test("inside a transaction, only the outer one locks and tries again", async () => {
  const inner = createSteps([CONFLICT]);
  const got = await inTransaction(connections, SCOPE, (tx) =>
    inTransaction(inside(connections, tx), "installation", inner.run),
  );
  expect(got).toBe("call-2");
  expect(locked).toEqual([SCOPE, SCOPE]);
  expect(await kept()).toEqual(["call-2"]);
});

test("a long transaction lets other work run between its statements, a short one does not", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const waited = await connections.write(SCOPE, async (tx) => {
      const turns: boolean[] = [];
      for (const time of [9, 1, 9]) {
        let hasRun = false;
        setImmediate(() => {
          hasRun = true;
        });
        vi.advanceTimersByTime(time);
        await tx.all(build.selectFrom("secret").select("name"));
        turns.push(hasRun);
      }
      return turns;
    });
    expect(waited).toEqual([false, true, false]);
  } finally {
    vi.useRealTimers();
  }
});
