import Database from "better-sqlite3";
import { CompiledQuery, Kysely, SqliteDialect } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { runDirectly, runNow } from "../../../src/storage/sql/run-now.ts";
import type { Schema } from "../../../src/storage/sql/schema.ts";
import { createStatement } from "../../../src/storage/sql/statement.ts";

const QUERY = CompiledQuery.raw("select 1");

function openDatabase() {
  const database = new Database(":memory:");
  onTestFinished(() => void database.close());
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database }) });
}

test("a query of a connection without a direct way waits", () => {
  expect(runNow(openDatabase(), QUERY)).toBeUndefined();
});

test("a statement whose connection is occupied runs through Kysely", async () => {
  const db = openDatabase();
  const direct: unknown[] = [];
  runDirectly(db, ({ parameters }) => {
    direct.push(...parameters);
    return undefined;
  });
  const select = createStatement((it, { sum }: { readonly sum: number }) =>
    it.selectNoFrom((eb) => eb.val(sum).as("sum")),
  );

  expect(await select(db, { sum: 3 })).toEqual([{ sum: 3 }]);
  expect(direct).toEqual([3]);
});

test("a statement runs directly on a free connection", async () => {
  const db = openDatabase();
  runDirectly(db, <T>() => [{ sum: 4 }] as T[]);
  const select = createStatement((it) => it.selectNoFrom((eb) => eb.val(3).as("sum")));

  expect(await select(db, {})).toEqual([{ sum: 4 }]);
});
