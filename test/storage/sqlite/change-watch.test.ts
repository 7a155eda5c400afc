import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchChanges } from "../../../src/storage/sqlite/change-watch.ts";
import { createFolder, type Folder } from "../../harness/folder.ts";

let folder: Folder;
let watched: Database.Database;
let other: Database.Database;
beforeEach(() => {
  folder = createFolder();
  const file = join(folder.path, "watched.db");
  other = new Database(file);
  other.exec("CREATE TABLE project (id, change_count)");
  watched = new Database(file);
});
afterEach(() => {
  watched.close();
  other.close();
  folder.remove();
});

test("a change by another connection is seen 100 ms after the last look, not before", () => {
  let now = 0;
  const { accessVersion: version } = watchChanges(watched, () => now);
  const before = version();
  other.exec("INSERT INTO project VALUES ('p', 1)");
  now = 99;
  expect(version()).toBe(before);
  now = 100;
  expect(version()).not.toBe(before);
});

test("a change of one's own is seen at once, and nothing is seen without a change", () => {
  let now = 0;
  const { accessVersion: version, bump } = watchChanges(watched, () => now);
  const before = version();
  now = 1_000;
  expect(version()).toBe(before);
  bump();
  expect(version()).not.toBe(before);
});

test("a change of one's own is counted once", () => {
  let now = 0;
  const { accessVersion: version, bump } = watchChanges(watched, () => now);
  other.exec("INSERT INTO project VALUES ('p', 1)");
  bump();
  const after = version();
  now = 1_000;
  expect(version()).toBe(after);
});

test("a revision is seen at once after a change of one's own, and 100 ms later after another's", () => {
  let now = 0;
  other.exec("INSERT INTO project VALUES ('p', 1)");
  const { knownRevision, bump } = watchChanges(watched, () => now);
  const set = (revision: number) => other.exec(`UPDATE project SET change_count = ${revision}`);
  expect([knownRevision("p"), knownRevision("none")]).toEqual([1, undefined]);
  set(2);
  expect(knownRevision("p")).toBe(1);
  now = 100;
  expect(knownRevision("p")).toBe(2);
  set(3);
  bump();
  expect(knownRevision("p")).toBe(3);
  other.exec("DELETE FROM project");
  bump();
  expect(knownRevision("p")).toBeUndefined();
});
