import Database from "better-sqlite3";
import { Kysely, PostgresDialect, SqliteDialect, sql } from "kysely";
import pg from "pg";
import type { Schema } from "../../gen/tables.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { TYPES } from "../../src/storage/postgres/values.ts";

/** Opens a database for SQL beside the store, as an operator would. */
export function openDatabase(address: DatabaseLocation): Kysely<Schema> {
  if (address.engine === "sqlite") {
    return new Kysely({ dialect: new SqliteDialect({ database: new Database(address.path) }) });
  }
  const pool = new pg.Pool({ connectionString: address.url, max: 1, types: TYPES });
  // A server that stops ends idle connections, which is for the next query to report.
  pool.on("error", () => {});
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}

/** A table and its columns. */
export interface TableInfo {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
}

/** Lists the tables of a database. */
export async function listTables(db: Kysely<Schema>): Promise<TableInfo[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ schema = "public" }) => schema === "public")
    .map(({ name, columns }) => ({ name, columns: new Set(columns.map((it) => it.name)) }));
}

/** Returns everything in every table as text, bytes as the characters of their numbers. */
export async function dumpDatabase(address: DatabaseLocation): Promise<string> {
  const db = openDatabase(address);
  const dumped: string[] = [];
  for (const { name, columns } of await listTables(db)) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    // Rows of PostgreSQL have no order of their own.
    dumped.push([name, ...columns].join(" "), ...rows.map(toLine).sort());
  }
  await db.destroy();
  return dumped.join("\n");
}

function toLine(row: unknown): string {
  return JSON.stringify(Object.values(Object(row)).map(toText));
}

function toText(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return Buffer.isBuffer(value) ? value.toString("latin1") : value;
}
