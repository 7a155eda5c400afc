// A process of its own for the tests: `<database> write` writes an organization, a project and an
// account in one transaction, again and again; `<database> idle` only has the database open.
import Database from "better-sqlite3";

const [path = "", mode = ""] = process.argv.slice(2);
if (mode === "idle") {
  const { openSqliteStore } = await import("../../../src/storage/sqlite/open.ts");
  const store = openSqliteStore(path);
  await store.readiness();
  process.stdout.write("ready\n");
  setInterval(() => store, 1_000_000);
} else {
  const database = new Database(path);
  const prepare = (table: string, parent: string) =>
    database.prepare(
      `INSERT INTO ${table} (id, ${parent} create_time, update_time, revision, doc)
       VALUES (@id, ${parent === "" ? "" : "@id,"} 0, 0, 1, randomblob(1000))`,
    );
  const organization = prepare("organization", "");
  const project = prepare("project", "organization_id,");
  const account = prepare("account", "organization_id,");
  const write = database.transaction((id: string) => {
    organization.run({ id });
    project.run({ id });
    account.run({ id });
  });
  for (let row = 0; ; row += 1) {
    write.immediate(`row-${row}`);
    if (row === 10) process.stdout.write("ready\n");
  }
}
