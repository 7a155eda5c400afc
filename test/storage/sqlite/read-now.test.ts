import Database from "better-sqlite3";
import { CompiledQuery, type SqliteDatabase } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { createReadNow } from "../../../src/storage/sqlite/read-now.ts";

const QUERY = CompiledQuery.raw("select 1 + ? as sum", [2]);

test("a query is answered at once unless a transaction is open on the connection", () => {
  const connection = new Database(":memory:");
  onTestFinished(() => void connection.close());
  const database: SqliteDatabase = {
    close: () => connection.close(),
    prepare(sql) {
      const statement = connection.prepare(sql);
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(...parameters),
        run: (parameters) => statement.run(...parameters),
        iterate: () => [][Symbol.iterator](),
      };
    },
  };
  const readNow = createReadNow(connection, database);

  expect(readNow(QUERY)).toEqual([{ sum: 3 }]);
  connection.exec("begin");
  expect(readNow(QUERY)).toBeUndefined();
  connection.exec("commit");
  expect(readNow(QUERY)).toEqual([{ sum: 3 }]);
});
