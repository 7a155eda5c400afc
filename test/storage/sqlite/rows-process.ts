// A process of its own for the tests: `<database> write` writes an organization, a project and an
// account in one transaction, again and again; `<database> idle` only has the database open.
import Database from "better-sqlite3";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";

const [path = "", mode = ""] = process.argv.slice(2);
if (mode === "idle") {
  const store = openSqliteStore(path);
  await store.ping();
  process.stdout.write("ready\n");
  setInterval(() => store, 1_000_000);
} else {
  const database = new Database(path);
  const tables = ["organization (id, name)", "project (id, organization_id, name)"];
  const [organization, project, account] = [...tables, "account (id, organization_id, name)"].map(
    (table, index) =>
      database.prepare(
        `INSERT INTO ${table} VALUES (@id, ${index === 0 ? "" : "@id, "}@id || hex(randomblob(500)))`,
      ),
  );
  const write = database.transaction((id: string) => {
    organization?.run({ id });
    project?.run({ id });
    account?.run({ id });
  });
  for (let row = 0; ; row += 1) {
    write.immediate(`row-${row}`);
    if (row === 10) process.stdout.write("ready\n");
  }
}
