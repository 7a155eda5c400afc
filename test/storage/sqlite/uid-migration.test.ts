import { readdirSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";

/** Creates a database as the release before uids left it. */
function createFormer(): Database.Database {
  const folder = new URL("../../../src/storage/migrations/sqlite/", import.meta.url);
  const database = new Database(":memory:");
  for (const name of readdirSync(folder).sort()) {
    const number = Number.parseInt(name, 10);
    if (number >= 10) break;
    database.exec(readFileSync(new URL(name, folder), "utf8"));
    database.pragma(`user_version = ${number}`);
  }
  return database;
}

test("a former database gets uids, and its audit entries are told of whom they are about", () => {
  const database = createFormer();
  database.exec(`
    INSERT INTO organization (id, create_time, update_time, revision, doc)
      VALUES ('stays', 10, 10, 1, x''), ('again', 50, 50, 9, x'');
    INSERT INTO project (id, organization_id, create_time, update_time, revision, doc)
      VALUES ('p', 'stays', 10, 10, 1, x''), ('q', 'stays', 10, 10, 1, x'');
    INSERT INTO retired_counter (type, id, change_count)
      VALUES ('organization', 'again', 8), ('organization', 'gone', 3), ('project', 'gone', 4);
    INSERT INTO audit_entry (organization_id, time, id, project_id, account_id, doc) VALUES
      ('stays', 10, 'a', 'p', 'ann', x'01'), ('stays', 20, 'b', '', 'ann', x'02'),
      ('again', 40, 'former', '', 'eve', x'03'), ('again', 50, 'made', '', 'bob', x'04'),
      ('gone', 30, 'c', '', 'eve', x'05'), ('never', 30, 'd', '', 'eve', x'06');
  `);
  migrate(database);
  const uids = database
    .prepare<[], { key: string; uid: string }>(
      `SELECT 'now ' || id AS key, uid FROM organization UNION ALL
       SELECT 'project ' || id, uid FROM project UNION ALL
       SELECT 'last ' || type || ' ' || id, uid FROM retired_counter`,
    )
    .all();
  for (const { uid } of uids) expect(uid).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(uids.map(({ uid }) => uid)).size).toBe(uids.length);
  const nameOf = new Map(uids.map(({ key, uid }) => [uid, key]));
  const entries = database
    .prepare<[], { uid: string; id: string; doc: Buffer }>(
      "SELECT organization_uid AS uid, id, doc FROM audit_entry ORDER BY hex(doc)",
    )
    .all();
  expect(entries.map(({ uid, id, doc }) => [id, nameOf.get(uid) ?? uid, doc[0]])).toEqual([
    ["a", "now stays", 1],
    ["b", "now stays", 2],
    ["former", "last organization again", 3],
    ["made", "now again", 4],
    ["c", "last organization gone", 5],
    ["d", "", 6],
  ]);
  database.close();
});
