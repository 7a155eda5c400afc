import { readdirSync, readFileSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { migrate } from "../../../src/storage/sqlite/migrate.ts";

/** Creates a database as the release before left it, in which ids were those of the installation. */
function createFormer(): Database.Database {
  const folder = new URL("../../../src/storage/migrations/sqlite/", import.meta.url);
  const database = new Database(":memory:");
  for (const name of readdirSync(folder).sort()) {
    const number = Number.parseInt(name, 10);
    if (number >= 12) break;
    database.exec(readFileSync(new URL(name, folder), "utf8"));
    database.pragma(`user_version = ${number}`);
  }
  database.pragma("foreign_keys = ON");
  return database;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

const columnsOf = (database: Database.Database, table: string) =>
  database.prepare<[string], Column>("SELECT name, type, pk FROM pragma_table_info(?)").all(table);

/** What rows refer to; everything else is filled from the type of the column. */
const REFERRED: Readonly<Record<string, string>> = {
  organization_id: "north",
  project_id: "p",
  account_id: "ann",
  page_id: "same",
};

/** The tables in the order of their references; the others have none. */
const FIRST = ["organization", "project", "account", "content_collection", "page"];

/** Puts two rows into every table, those with ids under `same` and `other`. */
function fill(database: Database.Database): string[] {
  const found = database
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
       AND name NOT LIKE 'content_search%' AND name <> 'content_word' ORDER BY name`,
    )
    .pluck()
    .all();
  const tables = [...FIRST, ...found.filter((it) => !FIRST.includes(it))];
  for (const table of tables) {
    const columns = columnsOf(database, table);
    for (const [index, id] of ["same", "other"].entries()) {
      const values = columns.map(({ name, type }) => cellOf(table, name, type, index, id));
      const names = columns.map(({ name }) => `"${name}"`).join(", ");
      const marks = columns.map(() => "?").join(", ");
      database.prepare(`INSERT INTO "${table}" (${names}) VALUES (${marks})`).run(...values);
    }
  }
  return tables;
}

function cellOf(table: string, column: string, type: string, index: number, id: string) {
  if (table === "organization" && column === "id") return ["north", "south"][index];
  if (table === "project" && column === "id") return ["p", "q"][index];
  if (table === "account" && column === "id") return ["ann", "eve"][index];
  if (table === "project" && column === "organization_id") return ["north", "south"][index];
  if (table === "account" && column === "organization_id") return ["north", "south"][index];
  // The second binding is one of an account from outside.
  if (table === "binding" && column === "account_id") return ["ann", "eve"][index];
  if (table === "binding" && column === "doc") return bindingOf(index, id);
  if (table === "content" && column === "doc") return `{"title":{"en":"GRÖSSE ${id} ${id}"}}`;
  if (column === "project_id" && /integration/.test(table)) return ["p", "q"][index];
  if (column === "kind" && table === "project_key") return "public";
  if (column === "kind") return ["event", "entity"][index];
  if (column === "level") return "action";
  if (["collection", "item", "path"].includes(column)) return index + 1;
  if (table === "viewer_token_key" && ["private_key", "retire_time"].includes(column)) {
    const isSigning = index === 0;
    return (column === "private_key") === isSigning ? (isSigning ? Buffer.from("k") : 7) : null;
  }
  if (column.startsWith("previous_")) return null;
  const referred = REFERRED[column];
  if (referred !== undefined) return referred;
  if (type === "BLOB") return Buffer.from(`${table} ${column} ${id}`);
  if (type === "INTEGER") return 1_000 + index;
  return column === "id" ? id : `${column} ${id}`;
}

function bindingOf(index: number, id: string): Buffer {
  const accountId = ["ann", "eve"][index] ?? "";
  return Buffer.from(
    toBinary(
      BindingSchema,
      create(BindingSchema, {
        ...{ id, organizationId: "north", accountId, roleId: "owner" },
        resourceKey: "north/organization",
      }),
    ),
  );
}

/** Reads the columns that a table had before, in the order of all of them. */
function read(database: Database.Database, table: string, columns: readonly Column[]) {
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const rows = database.prepare(`SELECT ${names} FROM "${table}"`).raw().all();
  return rows.map((row) => JSON.stringify(row)).sort();
}

test("every row of a former database is kept, with its organization in front of its id", () => {
  const database = createFormer();
  const tables = fill(database);
  expect(database.pragma("foreign_key_check")).toEqual([]);
  const before = tables.map((table) => {
    const columns = columnsOf(database, table);
    const kept = table === "binding" ? columns.filter(({ name }) => name !== "doc") : columns;
    return { table, columns: kept, rows: read(database, table, kept) };
  });
  const indexes = () =>
    database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql <> ''")
      .pluck()
      .all();
  const indexed = new Set(indexes());

  migrate(database);

  expect(database.pragma("foreign_key_check")).toEqual([]);
  expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
  for (const { table, columns, rows } of before) {
    expect([table, read(database, table, columns)]).toEqual([table, rows]);
    expect([table, rows.length]).toEqual([table, 2]);
  }
  const words = database.prepare("SELECT item, word, collection, visibility FROM content_word");
  expect(words.raw().all()).toEqual([
    [1, "grosse", 1, 1_000],
    [1, "same", 1, 1_000],
    [2, "grosse", 2, 1_001],
    [2, "other", 2, 1_001],
  ]);
  // Those by organization and id are the primary keys now, and references lie by project.
  const gone = [...indexed].filter((name) => !indexes().includes(name)).sort();
  expect(gone).toEqual([
    "account_by_organization",
    "binding_by_organization",
    "reference_by_project",
    "role_by_organization",
  ]);
  const organizations = (table: string) =>
    database.prepare<[], string>(`SELECT DISTINCT organization_id FROM "${table}"`).pluck().all();
  for (const { table } of before.filter(({ columns }) => columns.some((it) => it.name === "id"))) {
    const now = columnsOf(database, table);
    if (!now.some(({ name }) => name === "organization_id")) continue;
    if (!["account", "project"].includes(table)) expect(organizations(table)).toEqual(["north"]);
  }

  const bindings = database
    .prepare<[], { account: string; doc: Buffer }>(
      "SELECT account_organization_id AS account, doc FROM binding ORDER BY account",
    )
    .all();
  expect(bindings.map(({ account }) => account)).toEqual(["north", "south"]);
  expect(
    bindings.map(({ doc }) => {
      const { accountId, accountOrganizationId } = fromBinary(BindingSchema, doc);
      return [accountId, accountOrganizationId];
    }),
  ).toEqual([
    ["ann", ""],
    ["eve", "south"],
  ]);
  database.close();
});
