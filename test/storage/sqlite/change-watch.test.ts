import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ChangeWatch } from "../../../src/storage/sqlite/change-watch.ts";
import { copyTemplate } from "../../harness/template-databases.ts";
import { createTestFolder } from "../../harness/test-folder.ts";

let watched: Database.Database;
let other: Database.Database;
beforeEach(() => {
  const file = join(createTestFolder(), "watched.db");
  copyTemplate("empty", file);
  other = new Database(file);
  other.pragma("foreign_keys = OFF");
  watched = new Database(file);
});
afterEach(() => {
  watched.close();
  other.close();
});

const insert = (id: string, revision: number) =>
  other.exec(`
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc, change_count, uid)
    VALUES ('${id}', 'o', 0, 0, 1, x'', ${revision}, '${id}')
  `);
const set = (id: string, revision: number) =>
  other.exec(`UPDATE project SET change_count = ${revision} WHERE id = '${id}'`);
const insertKey = (id: string) =>
  other.exec(
    `INSERT INTO viewer_token_key (id, public_key, private_key, create_time) VALUES ('${id}', x'', x'', 0)`,
  );

test("a change of keys by another connection is seen 100 ms after the last look, not before", () => {
  let now = 0;
  const watch = new ChangeWatch(watched, () => now);
  const before = watch.accessVersion();
  insertKey("a");
  now = 99;
  expect(watch.accessVersion()).toBe(before);
  now = 100;
  expect(watch.accessVersion()).not.toBe(before);
});

test("a change of one's own is seen at once, and nothing is seen without a change", () => {
  let now = 0;
  const watch = new ChangeWatch(watched, () => now);
  const before = watch.accessVersion();
  now = 1_000;
  expect(watch.accessVersion()).toBe(before);
  watch.bump();
  expect(watch.accessVersion()).toBe(before);
  insertKey("a");
  watch.bump();
  expect(watch.accessVersion()).not.toBe(before);
});

test("a change of one's own is counted once", () => {
  let now = 0;
  const watch = new ChangeWatch(watched, () => now);
  insertKey("a");
  watch.bump();
  const after = watch.accessVersion();
  now = 1_000;
  expect(watch.accessVersion()).toBe(after);
});

for (const table of ["access_token", "binding", "project_key", "role", "viewer_token_key"]) {
  for (const [event, write] of [
    ["INSERT", (columns: string) => `INSERT INTO ${table} (id, ${columns}) VALUES ('b', 0, 0, 0)`],
    ["UPDATE", () => `UPDATE ${table} SET id = 'b'`],
    ["DELETE", () => `DELETE FROM ${table}`],
  ] as const) {
    test(`${event} of ${table} changes the version of access`, () => {
      // The rules of the columns are not what is tested.
      const sql = other
        .prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE name = ?")
        .pluck()
        .get(`change_by_${event.toLowerCase()}_of_${table}`);
      other.exec(`DROP TABLE ${table}; CREATE TABLE ${table} (id, a, b, c); ${sql}`);
      other.exec(`INSERT INTO ${table} VALUES ('a', 0, 0, 0)`);
      const watch = new ChangeWatch(watched);
      const before = watch.accessVersion();
      other.exec(write("a, b, c"));
      watch.bump();
      expect(watch.accessVersion()).not.toBe(before);
    });
  }
}

test("a revision is seen at once after a change of one's own, and 100 ms later after another's", () => {
  let now = 0;
  insert("p", 1);
  const watch = new ChangeWatch(watched, () => now);
  expect([watch.knownRevision("p"), watch.knownRevision("none")]).toEqual([1, undefined]);
  const access = watch.accessVersion();
  set("p", 2);
  expect(watch.knownRevision("p")).toBe(1);
  now = 100;
  expect(watch.knownRevision("p")).toBe(2);
  set("p", 3);
  watch.bump();
  expect(watch.knownRevision("p")).toBe(3);
  other.exec("DELETE FROM project");
  watch.bump();
  expect(watch.knownRevision("p")).toBeUndefined();
  insert("p", 4);
  watch.bump();
  expect(watch.knownRevision("p")).toBe(4);
  expect(watch.accessVersion()).toBe(access);
});

test("a revision that is asked for the first time makes earlier changes of keys known", () => {
  insert("p", 1);
  const watch = new ChangeWatch(watched, () => 0);
  const before = watch.accessVersion();
  insertKey("a");
  set("p", 2);
  expect(watch.accessVersion()).toBe(before);
  expect(watch.knownRevision("p")).toBe(2);
  expect(watch.accessVersion()).not.toBe(before);
});

test("what cannot be read is unknown rather than unchanged, also within 100 ms, and throws nowhere", () => {
  insert("p", 1);
  const watch = new ChangeWatch(watched, () => 0);
  const before = [watch.knownRevision("p"), watch.accessVersion()];
  expect(before[0]).toBe(1);
  set("p", 2);
  other.exec("ALTER TABLE change RENAME TO elsewhere");
  watch.bump();
  const versions = [watch.accessVersion(), watch.accessVersion()];
  expect(new Set([before[1], ...versions]).size).toBe(3);
  expect([watch.knownRevision("p"), watch.knownRevision("q")]).toEqual([undefined, undefined]);
  other.exec("ALTER TABLE elsewhere RENAME TO change");
  expect(watch.knownRevision("p")).toBe(2);
});

test("changes of a project cost readers of another no statement", () => {
  insert("p", 1);
  insert("q", 1);
  const prepare = watched.prepare.bind(watched);
  let reads = 0;
  watched.prepare = ((sql: string) => {
    const statement = prepare(sql);
    if (!sql.includes("FROM project")) return statement;
    const { get } = statement;
    statement.get = (...values: unknown[]) => {
      reads += 1;
      return get.apply(statement, values);
    };
    return statement;
  }) as typeof watched.prepare;
  const watch = new ChangeWatch(watched);
  expect([watch.knownRevision("p"), watch.knownRevision("q")]).toEqual([1, 1]);
  expect(reads).toBe(2);
  for (let revision = 2; revision < 50; revision += 1) {
    set("q", revision);
    watch.bump();
    expect([watch.knownRevision("p"), watch.knownRevision("q")]).toEqual([1, revision]);
  }
  expect(reads).toBe(2);
});
