import type { BackupOptions, BackupSummary, RestoreOptions, RestoreSummary } from "./backup.ts";
import { backUpSqlite } from "./sqlite/backup.ts";
import { openSqliteStore } from "./sqlite/open.ts";
import { restoreSqlite } from "./sqlite/restore.ts";
import type { Store } from "./store.ts";

/** A database that is a file. */
export type SqliteAddress = { readonly engine: "sqlite"; readonly path: string };

/** Where the data lies. */
export type DatabaseAddress = SqliteAddress;

/** Opens the store of whatever engine the address names. */
export async function openStore(address: DatabaseAddress): Promise<Store> {
  return openSqliteStore(address.path);
}

/** Backs a database up into a new file, as {@link backUpSqlite} does. */
export function backUpDatabase(
  { path }: SqliteAddress,
  file: string,
  options: BackupOptions,
): Promise<BackupSummary> {
  return backUpSqlite(path, file, options);
}

/** Puts a backup in the place of a database, as {@link restoreSqlite} does. */
export function restoreDatabase(
  { path }: SqliteAddress,
  file: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  return restoreSqlite(file, path, options);
}
