import type Database from "better-sqlite3";
import type { StateLog } from "../contract/connection-pool.ts";
import {
  beginMigration,
  checkMigration as checkNumber,
  listMigrations,
  type MigrationState,
} from "../migrations/check-migration.ts";

/** The kind of a database file: all content, or only the leases of viewers. */
export type DatabaseKind = "content" | "leases";

const FOLDERS: Readonly<Record<DatabaseKind, URL>> = {
  content: new URL("../migrations/sqlite/", import.meta.url),
  leases: new URL("../migrations/sqlite-leases/", import.meta.url),
};

/** The `application_id` of databases of this line of releases: `Marq` in ASCII. */
const APPLICATION = 0x4d617271;

/** The time that a migration waits for writes and migrations of other processes, in milliseconds: as long as they take. */
const WAIT_MS = 2 ** 31 - 1;

/** Options of {@link migrate}. */
export interface MigrateOptions {
  /** Receives the migration; default: not logged. */
  readonly log?: StateLog | undefined;
  /**
   * Keeps the processes of the release before from opening the database until the result is closed; throws if one has it open.
   * Called if all of them must stop first.
   */
  lockOthers?(): Database.Database | undefined;
}

/**
 * Applies all missing migrations to a database in one transaction, stores the number of the last one as `user_version`, and
 * marks the database by its `application_id`. Throws the errors of `checkMigration`, which name the file, and of `lockOthers`.
 */
export function migrate(
  database: Database.Database,
  kind: DatabaseKind = "content",
  { log, lockOthers }: MigrateOptions = {},
): void {
  const folder = FOLDERS[kind];
  const newest = listMigrations(folder).at(-1)?.number ?? 0;
  const applied = readState(database, database.name);
  if (applied.from === newest) return;
  const announced = beginMigration(applied, folder, log, kind);
  // Recreating a table would cascade to the rows that refer to it. The pragma has no effect within a
  // transaction.
  const checksReferences = database.pragma("foreign_keys", { simple: true });
  const waitMs = database.pragma("busy_timeout", { simple: true });
  database.pragma("foreign_keys = OFF");
  database.pragma(`busy_timeout = ${WAIT_MS}`);
  let lock: Database.Database | undefined;
  try {
    const { done } = database
      .transaction(() => {
        const state = readState(database, database.name);
        // Another process may have migrated it while this one waited.
        const missing =
          state.from === applied.from ? announced : beginMigration(state, folder, log, kind);
        if (missing.mustStop) lock = lockOthers?.();
        for (const statement of missing.statements) database.exec(statement);
        database.pragma(`user_version = ${newest}`);
        database.pragma(`application_id = ${APPLICATION}`);
        return missing;
      })
      .immediate();
    done();
  } finally {
    lock?.close();
    database.pragma(`busy_timeout = ${waitMs}`);
    database.pragma(`foreign_keys = ${checksReferences}`);
  }
}

/** Checks that a database can be migrated to the newest migration, like `checkMigration` of any engine. */
export function checkMigration(
  database: Database.Database,
  kind: DatabaseKind,
  what = database.name,
): void {
  checkNumber(readState(database, what), listMigrations(FOLDERS[kind]));
}

function readState(database: Database.Database, what: string): MigrationState {
  const read = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
  return {
    from: read("user_version"),
    isMarked: read("application_id") === APPLICATION,
    what,
  };
}
