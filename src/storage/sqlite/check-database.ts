import Database from "better-sqlite3";
import { Code, DomainError, type Reason } from "../../domain/base/errors.ts";
import type { DatabaseContents } from "../contract/backup.ts";
import { translateErrors } from "./errors.ts";
import { checkMigration } from "./migrate.ts";

/** The tables that identify a Marquee database, at any migration. */
const KNOWN_TABLES = ["organization", "project", "account", "binding"];

/** The tables to count, with their kinds. */
const COUNTED: readonly (readonly [table: string, kind: string])[] = [
  ["organization", "organizations"],
  ["project", "projects"],
  ["account", "accounts"],
  ["content", "content items"],
  ["video", "videos"],
  ["page", "pages"],
  ["page_component", "page components"],
  ["ruleset", "rulesets"],
  ["offer", "offers"],
  ["transaction_record", "transactions"],
];

/** Checks that a database, unless it is empty, is a Marquee database. FAILED_PRECONDITION `NO_MARQUEE_DATABASE`. */
export function checkOwner(database: Database.Database): void {
  const tables = listTables(database);
  if (tables.length > 0) checkTables(tables, database.name);
}

/**
 * Checks that a database is a Marquee database, that this release can open it, and that its structure and
 * every reference are intact. `what` is the subject of the messages.
 *
 * Throws a DomainError FAILED_PRECONDITION: `NO_DATABASE`, `NO_MARQUEE_DATABASE`, `DATABASE_TOO_NEW`,
 * `DATABASE_TOO_OLD` or `DATABASE_BROKEN`.
 */
export function checkDatabase(database: Database.Database, what: string): void {
  try {
    checkTables(listTables(database), what);
    checkMigration(database, "content", what);
    const errors = database.prepare<[], string>("PRAGMA integrity_check(1)").pluck().all();
    if (errors[0] !== "ok") throw broken(what, errors[0]);
    const [reference] = database.prepare<[], { table: string }>("PRAGMA foreign_key_check").all();
    if (reference !== undefined) {
      throw broken(what, `a row of table ${reference.table} refers to a missing row`);
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code === "SQLITE_NOTADB") throw noDatabase(what);
    if (error.code.startsWith("SQLITE_CORRUPT")) throw broken(what, error.message);
    translateErrors(() => {
      throw error;
    });
  }
}

function checkTables(tables: readonly string[], what: string): void {
  if (KNOWN_TABLES.every((table) => tables.includes(table))) return;
  throw rejection("NO_MARQUEE_DATABASE", `${what} is not a Marquee database`);
}

/** Counts the contents of a checked database. */
export function countContents(database: Database.Database): DatabaseContents {
  const tables = new Set(listTables(database));
  const count = (table: string) =>
    database.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0;
  return {
    migration: readMigration(database),
    counts: COUNTED.filter(([table]) => tables.has(table)).map(([table, kind]) => [
      kind,
      count(table),
    ]),
  };
}

/** Creates a FAILED_PRECONDITION `NO_DATABASE` error. */
export function noDatabase(what: string): DomainError {
  return rejection("NO_DATABASE", `${what} is not an SQLite database`);
}

/** Creates a FAILED_PRECONDITION `DATABASE_BROKEN` error; the last line of `error` describes the damage. */
export function broken(what: string, error = ""): DomainError {
  return rejection("DATABASE_BROKEN", `${what} is corrupted: ${error.trim().split("\n").at(-1)}`);
}

function rejection(reason: Reason, message: string): DomainError {
  return new DomainError(Code.FAILED_PRECONDITION, reason, message);
}

function readMigration(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

function listTables(database: Database.Database): string[] {
  return database
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all();
}
