/**
 * Writes the types of the tables, as the migrations of SQLite create them, to the file that is named: part of
 * `npm run generate`. The tables of PostgreSQL are the same.
 *
 * @module
 */
import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { migrate } from "../src/storage/sqlite/migrate.ts";

/** A column, as SQLite describes it. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

/** The columns with integers of 64 bits. */
const WIDE = ["sort_order", "units"];

const TYPES: Readonly<Record<string, string>> = {
  BLOB: "Uint8Array",
  INTEGER: "number",
  TEXT: "string",
};

/** Prints the type of the tables of a kind of database. */
function printTables(kind: "content" | "leases"): readonly string[] {
  const database = new Database(":memory:");
  migrate(database, kind);
  const tables = database
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    .all();
  return tables
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name, sql }) => {
      const columns = database.pragma(`table_info(${name})`) as Column[];
      const lines = columns.map((it) => `    ${it.name}: ${typeOf(it, columns, sql)};`);
      return [`  ${name}: {`, ...lines, "  };"];
    });
}

function typeOf(column: Column, columns: readonly Column[], sql: string): string {
  const { name, type, notnull, dflt_value: fallback, pk } = column;
  const [, words] = new RegExp(`\\b${name} IN \\(([^)]*)\\)`).exec(sql) ?? [];
  const known = words?.replaceAll("'", '"').split(", ").join(" | ") ?? TYPES[type] ?? "unknown";
  const value = WIDE.includes(name) ? "bigint | number" : known;
  const isOnlyKey = pk === 1 && columns.filter((it) => it.pk > 0).length === 1;
  const isCounted = type === "INTEGER" && (fallback !== null || isOnlyKey);
  if (isCounted) return `Generated<${value}>`;
  return notnull === 0 && pk === 0 ? `${value} | null` : value;
}

const [file = "gen/tables.ts"] = process.argv.slice(2);
const head = `// Generated from src/storage/migrations/sqlite by tools/tables.ts.

import type { Generated } from "kysely";

/** The tables, the same in every engine; the migrations document the columns. */
export interface Schema {
`;
writeFileSync(
  file,
  `${head}${[...printTables("content"), ...printTables("leases")].join("\n")}\n}\n`,
);
