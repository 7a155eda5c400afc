import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Tx } from "../../../src/storage/db/db.ts";
import { GroupCommit } from "../../../src/storage/db/group-commit.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";
import { createTestFolder } from "../../harness/test-folder.ts";

const ERROR = new Error("no");

let database: Database.Database;
let write: SqliteWriter;
let reader: Database.Database;
let statements: string[];
let time: number;
const now = () => time;
beforeEach(() => {
  time = 0;
  const file = join(createTestFolder(), "group.db");
  database = new Database(file, { timeout: 0 });
  database.pragma("journal_mode = WAL");
  database.pragma("foreign_keys = ON");
  database.exec(
    `CREATE TABLE counter (id TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
     CREATE TABLE entry (counter_id TEXT NOT NULL REFERENCES counter (id), value INTEGER NOT NULL) STRICT;
     INSERT INTO counter VALUES ('a', 0), ('b', 0), ('c', 0);`,
  );
  statements = [];
  write = new SqliteWriter(database, { name: "write", busyTimeoutMs: 0 });
  write.pool.onStatement = (text) => void statements.push(text);
  reader = new Database(file, { readonly: true });
});
afterEach(() => {
  reader.close();
  database.close();
});

/** Adds one to a counter with an entry of its value, and returns it. */
async function add(tx: Tx, id = "a"): Promise<number> {
  const [changed] = await tx.all(
    sql<{ value: number }>`update counter set value = value + 1 where id = ${id} returning value`,
  );
  const value = changed?.value ?? Number.NaN;
  await tx.run(sql`insert into entry values (${id}, ${value})`);
  return value;
}

const readCounters = () =>
  reader.prepare("SELECT value FROM counter ORDER BY id").pluck().all() as number[];
const readEntries = (id = "a") =>
  reader.prepare("SELECT value FROM entry WHERE counter_id = ? ORDER BY rowid").pluck().all(id);
const commits = () => statements.filter((it) => it === "commit").length;
const times = <T>(count: number, run: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => run(index));
/** The values and the messages of the errors. */
const settle = async (runs: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(runs)).map((it) =>
    it.status === "fulfilled" ? it.value : (it.reason as Error).message,
  );

describe("transactions that wait at the same moment", () => {
  test("share one commit, in the order in which they came, and each sees those before it", async () => {
    const groups = new GroupCommit({ write }, now);
    expect(await Promise.all(times(10, () => groups.run(add)))).toEqual(times(10, (it) => it + 1));
    expect([commits(), readCounters(), readEntries()]).toEqual([
      ...[1, [10, 0, 0], times(10, (it) => it + 1)],
    ]);
  });

  test("return after the commit, and are not visible before", async () => {
    const groups = new GroupCommit({ write }, now);
    const inside: unknown[] = [];
    const acknowledged = times(3, () =>
      groups
        .run(async (tx) => {
          inside.push(readCounters()[0]);
          return add(tx);
        })
        .then(() => readCounters()[0]),
    );
    expect(await Promise.all(acknowledged)).toEqual([3, 3, 3]);
    expect(inside).toEqual([0, 0, 0]);
  });

  test("need no savepoint when there is only one", async () => {
    await new GroupCommit({ write }, now).run(add);
    expect(statements.filter((it) => it.includes("part"))).toEqual([]);
    expect(readCounters()).toEqual([1, 0, 0]);
  });

  test("are undone alone when they fail, whatever they wrote", async () => {
    const groups = new GroupCommit({ write }, now);
    const runs = times(6, (index) =>
      groups.run(async (tx) => {
        const value = await add(tx);
        if (index % 3 === 0) throw ERROR;
        return value;
      }),
    );
    expect(await settle(runs)).toEqual(["no", 1, 2, "no", 3, 4]);
    expect([commits(), readCounters(), readEntries()]).toEqual([1, [4, 0, 0], [1, 2, 3, 4]]);
  });
});

describe("a group that fails as a whole runs again, one transaction after the other", () => {
  test("when the commit fails", async () => {
    const groups = new GroupCommit({ write }, now);
    const calls: number[] = [];
    const runs = times(4, (index) =>
      groups.run(async (tx) => {
        calls.push(index);
        if (index === 2) {
          await tx.run(sql`pragma defer_foreign_keys = on`);
          await tx.run(sql`insert into entry values ('missing', 1)`);
        }
        return add(tx);
      }),
    );
    expect(await settle(runs)).toEqual([
      1,
      2,
      "a referenced resource was deleted during the call; retry",
      3,
    ]);
    expect(calls).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect([readCounters(), readEntries()]).toEqual([
      [3, 0, 0],
      [1, 2, 3],
    ]);
  });

  test("when an error undoes the whole transaction, as a full disk does", async () => {
    const groups = new GroupCommit({ write }, now);
    const runs = times(3, (index) =>
      groups.run(async (tx) => {
        const value = await add(tx);
        if (index === 1) await tx.run(sql`rollback`);
        return value;
      }),
    );
    const [first, second, third] = await settle(runs);
    expect([first, third]).toEqual([1, 2]);
    expect(second).toMatch(/database unavailable/);
    expect([readCounters(), readEntries()]).toEqual([
      [2, 0, 0],
      [1, 2],
    ]);
  });
});

test("none runs when the lock is not to be had, and later ones do", async () => {
  const blocker = new Database(database.name, { timeout: 0 });
  blocker.exec("BEGIN IMMEDIATE");
  const groups = new GroupCommit({ write }, now);
  let calls = 0;
  const run = async (tx: Tx) => {
    calls += 1;
    return add(tx);
  };
  expect(await settle(times(3, () => groups.run(run)))).toEqual(
    times(3, () => "database unavailable"),
  );
  expect(calls).toBe(0);
  blocker.exec("ROLLBACK");
  blocker.close();
  expect(await Promise.all(times(2, () => groups.run(run)))).toEqual([1, 2]);
});

test("owners take turns, in a group and from one to the next", async () => {
  const groups = new GroupCommit({ write, mostMembers: 3 }, now);
  const seen: string[] = [];
  const run = (name: string) => groups.run(async () => void seen.push(name), name.slice(0, 1));
  await Promise.all(["a1", "a2", "a3", "a4", "a5", "b1", "c1", "b2"].map(run));
  expect(seen).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", "a5"]);
  expect(commits()).toBe(3);
});

describe("a group is bounded", () => {
  test("by the number of its transactions", async () => {
    const groups = new GroupCommit({ write }, now);
    const got = await Promise.all(times(150, () => groups.run(add)));
    expect([commits(), got]).toEqual([3, times(150, (it) => it + 1)]);
  });

  test("by time: those before a slow one do not wait for the ones after it", async () => {
    const groups = new GroupCommit({ write }, now);
    const slow = async (tx: Tx) => {
      time += 100;
      return add(tx);
    };
    const seen: number[] = [];
    const acknowledged = [add, slow, slow, slow].map((run) =>
      groups.run(run).then((value) => seen.push(value, readCounters()[0] ?? 0)),
    );
    await Promise.all(acknowledged);
    // The value of each, and what was committed when it returned.
    expect(seen).toEqual([1, 2, 2, 2, 3, 3, 4, 4]);
  });

  test("and those that have waited too long are rejected, while one is not undone", async () => {
    const groups = new GroupCommit({ write, mostMembers: 1, mostWaitMs: 50 }, now);
    const first = groups.run(async (tx) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return add(tx);
    });
    const results = await settle([first, groups.run(add), groups.run(add)]);
    expect(results).toEqual([1, "database unavailable", "database unavailable"]);
    expect(await settle([groups.run(add)])).toEqual([2]);
  });

  test("and each of those behind its end is rejected when it has waited too long", async () => {
    const groups = new GroupCommit({ write, mostWaitMs: 50 }, now);
    const slow = async (tx: Tx) => {
      time += 100;
      await new Promise((resolve) => setTimeout(resolve, 150));
      return add(tx);
    };
    const results = settle([groups.run(slow), groups.run(add), groups.run(add)]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const late = settle([groups.run(add)]);
    expect(await results).toEqual([1, "database unavailable", "database unavailable"]);
    expect(await late).toEqual(["database unavailable"]);
    expect(await groups.run(add)).toBe(2);
  });

  test("and lets others of the process have their turn in between", async () => {
    const groups = new GroupCommit({ write }, now);
    const all = Promise.all(times(150, () => groups.run(add)));
    const turns: number[] = [];
    for (let left = 5; left > 0; left -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(readCounters()[0] ?? 0);
    }
    await all;
    expect(turns.some((it) => it > 0 && it < 150)).toBe(true);
  });
});

/** What a transaction does: adds to counters, then fails or not. */
interface Step {
  readonly ids: readonly string[];
  readonly end: "commit" | "fail" | "dangle";
}

const steps = fc.array(
  fc.record<Step>({
    ids: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
    end: fc.constantFrom("commit", "commit", "commit", "fail", "dangle"),
  }),
  { maxLength: 12 },
);

test("a group behaves as its transactions one after the other", async () => {
  const run =
    ({ ids, end }: Step) =>
    async (tx: Tx) => {
      const values: number[] = [];
      for (const id of ids) values.push(await add(tx, id));
      if (end === "fail") throw ERROR;
      if (end === "dangle") {
        await tx.run(sql`pragma defer_foreign_keys = on`);
        await tx.run(sql`insert into entry values ('missing', 1)`);
      }
      return values;
    };
  const state = () => [readCounters(), ...["a", "b", "c"].map(readEntries)];
  const clear = async () => {
    await write.all(sql`delete from entry`);
    await write.all(sql`update counter set value = 0`);
  };
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const groups = new GroupCommit({ write }, now);
      const got = await settle(all.map((step) => groups.run(run(step))));
      const gotState = state();
      await clear();
      const want: unknown[] = [];
      for (const step of all) {
        want.push(...(await settle([write.transaction(run(step))])));
      }
      expect([got, gotState]).toEqual([want, state()]);
      await clear();
    }),
    { numRuns: 150 },
  );
});
