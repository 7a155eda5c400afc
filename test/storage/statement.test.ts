import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Operand } from "../../src/storage/db/query.ts";
import { build, prepare, prepareByKey, type SlotOf } from "../../src/storage/db/query.ts";
import { migrate } from "../../src/storage/sqlite/migrate.ts";
import { SqliteWriter } from "../../src/storage/sqlite/sqlite-writer.ts";
import { type RunQuery, recordQueries } from "./sqlite/one-connection.ts";

let database: Database.Database;
let db: SqliteWriter;
let run: RunQuery[];
beforeEach(() => {
  database = new Database(":memory:");
  migrate(database);
  run = [];
  const recorded = recordQueries(database, (query) => run.push(query));
  db = new SqliteWriter(recorded, { name: "write", busyTimeoutMs: 0 });
});
afterEach(() => void database.close());

interface Secret {
  readonly name: string;
  readonly value: Uint8Array;
}

test("a statement runs as the query that is built with the values of each call", async () => {
  let builds = 0;
  const selectOf = (name: Operand<string>) =>
    build
      .selectFrom("secret")
      .select(["name", "value"])
      .where("name", ">=", name)
      .where("name", "!=", "left out")
      .where((eb) => eb.or([eb("name", "=", name), eb("name", "=", "b")]));
  const insert = prepare((slot: SlotOf<Secret>) => {
    builds += 1;
    return build.insertInto("secret").values({ name: slot("name"), value: slot("value") });
  });
  const select = prepare((slot: SlotOf<Pick<Secret, "name">>) => selectOf(slot("name")));

  for (const name of ["a", "b", "left out"])
    await db.all(insert({ name, value: Uint8Array.of(1) }));
  expect(builds).toBe(1);
  for (const name of ["a", "b", "left out", "c"]) {
    const want = await db.all(selectOf(name));
    expect(await db.all(select({ name }))).toEqual(want);
    const [built, compiled] = run.slice(-2);
    expect(compiled).toEqual(built);
  }
  expect(await db.all(select({ name: "a" }))).toHaveLength(2);
});

test("a statement without one of its values does not run", async () => {
  const select = prepare((slot: SlotOf<{ readonly name?: string }>) =>
    build
      .selectFrom("secret")
      .select("name")
      .where("name", "=", slot("name") as never),
  );
  await expect(db.all(select({}))).rejects.toThrow("the statement has no value for name");
});

test("of several statements each has its own key", async () => {
  const count = prepareByKey((slot: SlotOf<{ readonly id: string }>, table: "account" | "video") =>
    build
      .selectFrom(table as "video")
      .select("id")
      .where("id", "=", slot("id")),
  );
  for (const table of ["account", "video", "account"] as const) {
    await db.all(count(table, { id: "x" }));
  }
  expect(run.map(({ sql }) => /from "(\w+)"/.exec(sql)?.[1])).toEqual([
    "account",
    "video",
    "account",
  ]);
});
