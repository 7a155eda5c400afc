import type {
  BackupOptions,
  BackupSummary,
  RestoreOptions,
  RestoreSummary,
} from "./contract/backup.ts";
import type { Store } from "./contract/store.ts";
import type { MoveOptions, MoveSummary } from "./db/migrate-database.ts";
import type { PostgresLocation } from "./postgres/client-settings.ts";
import type { PostgresOptions } from "./postgres/open.ts";
import type { SqliteOptions } from "./sqlite/open.ts";

// Each function loads the modules of its engine on use: the other engine's would prolong every start.

export type { PostgresLocation };

/** A database file. */
export type SqliteLocation = { readonly engine: "sqlite"; readonly path: string };

/** The location of a database. */
export type DatabaseLocation = SqliteLocation | PostgresLocation;

/** Options of a store of any engine. */
export type StoreOptions = Pick<SqliteOptions, "isBulk" | "log" | "mustExist"> & PostgresOptions;

/** Opens the store of the engine of a location. */
export async function openStore(
  location: DatabaseLocation,
  options?: StoreOptions,
): Promise<Store> {
  if (location.engine === "sqlite") {
    const { openSqliteStore } = await import("./sqlite/open.ts");
    return openSqliteStore(location.path, options);
  }
  const { openPostgresStore } = await import("./postgres/open.ts");
  return openPostgresStore(location, options);
}

/** Backs up a database to a new file, like `backUpSqlite`. */
export async function backUpDatabase(
  { path }: SqliteLocation,
  file: string,
  options: BackupOptions,
): Promise<BackupSummary> {
  const { backUpSqlite } = await import("./sqlite/backup.ts");
  return backUpSqlite(path, file, options);
}

/** Restores a database from a backup, like `restoreSqlite`. */
export async function restoreDatabase(
  { path }: SqliteLocation,
  file: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { restoreSqlite } = await import("./sqlite/backup.ts");
  return restoreSqlite(file, path, options);
}

/** Copies a database to another one, which must be empty, like `migrateDatabase`. */
export async function moveDatabase(
  from: DatabaseLocation,
  to: DatabaseLocation,
  options: MoveOptions,
): Promise<MoveSummary> {
  const { migrateDatabase } = await import("./db/migrate-database.ts");
  const { withSqliteTables } = await import("./sqlite/table-access.ts");
  const { withPostgresTables } = await import("./postgres/table-access.ts");
  const openTables = (location: DatabaseLocation, access: "source" | "target") =>
    location.engine === "sqlite"
      ? withSqliteTables(location.path, access)
      : withPostgresTables(location, access);
  return migrateDatabase(openTables(from, "source"), openTables(to, "target"), options);
}
