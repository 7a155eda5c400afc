import type Database from "better-sqlite3";
import type { StateLog } from "../connection-pool.ts";
import {
  beginMigration,
  checkMigration as checkNumber,
  listMigrations,
} from "../migrations/check-migration.ts";

/** The kind of a database file: all content, or only the leases of viewers. */
export type DatabaseKind = "content" | "leases";

const FOLDERS: Readonly<Record<DatabaseKind, URL>> = {
  content: new URL("../migrations/sqlite/", import.meta.url),
  leases: new URL("../migrations/sqlite-leases/", import.meta.url),
};

/**
 * Applies all missing migrations to a database in one transaction and stores the number of the last one as
 * `user_version`. FAILED_PRECONDITION `DATABASE_TOO_NEW` if a newer release wrote the database,
 * `DATABASE_TOO_OLD` if it is older than the first migration.
 */
export function migrate(
  database: Database.Database,
  kind: DatabaseKind = "content",
  log?: StateLog,
): void {
  const folder = FOLDERS[kind];
  const newest = listMigrations(folder).at(-1)?.number ?? 0;
  const current = () => Number(database.pragma("user_version", { simple: true }));
  if (current() === newest) return;
  // Recreating a table would cascade to the rows that refer to it. The pragma has no effect within a
  // transaction.
  const checksReferences = database.pragma("foreign_keys", { simple: true });
  database.pragma("foreign_keys = OFF");
  try {
    const { done } = database
      .transaction(() => {
        const missing = beginMigration(current(), folder, log, kind);
        for (const statement of missing.statements) database.exec(statement);
        database.pragma(`user_version = ${newest}`);
        return missing;
      })
      .immediate();
    done();
  } finally {
    database.pragma(`foreign_keys = ${checksReferences}`);
  }
}

/** Checks that a database at migration `from` can be migrated to the newest one, like `checkMigration`. */
export function checkMigration(from: number, kind: DatabaseKind, what?: string): void {
  checkNumber(from, listMigrations(FOLDERS[kind]), what);
}
