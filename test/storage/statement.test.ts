import Database from "better-sqlite3";
import { Kysely, SqliteDialect } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Schema } from "../../src/storage/sql/schema.ts";
import { createStatement, createStatements } from "../../src/storage/sql/statement.ts";
import { migrate } from "../../src/storage/sqlite/migrate.ts";

let db: Kysely<Schema>;
let run: { readonly sql: string; readonly parameters: readonly unknown[] }[];
beforeEach(() => {
  const database = new Database(":memory:");
  migrate(database);
  run = [];
  db = new Kysely({
    dialect: new SqliteDialect({ database }),
    log: ({ query: { sql, parameters } }) => {
      run.push({ sql, parameters });
    },
  });
});
afterEach(() => db.destroy());

interface Secret {
  readonly name: string;
  readonly value: Uint8Array;
}

test("a statement runs as the query that is built with the values of each call", async () => {
  let builds = 0;
  const insertOf = (it: Kysely<Schema>, { name, value }: Secret) =>
    it.insertInto("secret").values({ name, value });
  const selectOf = (it: Kysely<Schema>, { name }: Pick<Secret, "name">) =>
    it
      .selectFrom("secret")
      .select(["name", "value"])
      .where("name", ">=", name)
      .where("name", "!=", "left out")
      .where((eb) => eb.or([eb("name", "=", name), eb("name", "=", "b")]));
  const insert = createStatement((it, values: Secret) => {
    builds += 1;
    return insertOf(it, values);
  });
  const select = createStatement(selectOf);

  for (const name of ["a", "b", "left out"]) await insert(db, { name, value: Uint8Array.of(1) });
  expect(builds).toBe(1);
  for (const name of ["a", "b", "left out", "c"]) {
    const want = await selectOf(db, { name }).execute();
    expect(await select(db, { name })).toEqual(want);
    const [built, compiled] = run.slice(-2);
    expect(compiled).toEqual(built);
  }
  expect(await select(db, { name: "a" })).toHaveLength(2);
});

test("of several statements each has its own key", async () => {
  const count = createStatements(
    (it, { id }: { readonly id: string }, table: "account" | "video") =>
      it
        .selectFrom(table as "video")
        .select("id")
        .where("id", "=", id),
  );
  for (const table of ["account", "video", "account"] as const) await count(table)(db, { id: "x" });
  expect(run.map(({ sql }) => /from "(\w+)"/.exec(sql)?.[1])).toEqual([
    "account",
    "video",
    "account",
  ]);
  expect(count("video")).toBe(count("video"));
});
