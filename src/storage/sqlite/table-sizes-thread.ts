import { parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";

// The thread of `TableSizes`: measures the tables of the file that `workerData` names, once it has said that SQLite is loaded.
const database = new Database(workerData, { readonly: true });
parentPort?.postMessage(undefined);
const rows = database.prepare<[], { readonly name: string; readonly bytes: number }>(
  "select name, pgsize as bytes from dbstat('main', 1)",
);
const tables = database.prepare<[], { readonly name: string; readonly tbl_name: string }>(
  "select name, tbl_name from sqlite_schema where tbl_name not like 'sqlite_%'",
);
const tableOf = new Map(tables.all().map(({ name, tbl_name }) => [name, tbl_name]));
const sizes = new Map<string, number>();
// One row after the other: the thread can be ended between two of them.
for (const { name, bytes } of rows.iterate()) {
  const table = tableOf.get(name);
  if (table !== undefined) sizes.set(table, (sizes.get(table) ?? 0) + bytes);
}
database.close();
parentPort?.postMessage(sizes);
