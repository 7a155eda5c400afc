import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { toNameStart } from "../../../src/storage/sql/content/index/collections.ts";

test.each([
  "k".repeat(513),
  `${"k".repeat(511)}\u{1f600}x`,
  "\u{1f600}".repeat(513),
  "a\n".repeat(257),
])("the start of a name is the one that SQL selects", (name) => {
  const database = new Database(":memory:");
  const select = database.prepare("select substr(?, 1, 512)").pluck();
  expect(toNameStart(name)).toBe(select.get(name));
  database.close();
});
