import type { BackupOptions, BackupSummary, RestoreOptions, RestoreSummary } from "./backup.ts";
import { copyDatabase, type MoveOptions, type MoveSummary } from "./copy/copy-database.ts";
import type { PostgresAddress } from "./postgres/client-settings.ts";
import { readPostgres, writePostgres } from "./postgres/copy.ts";
import { openPostgresStore, type PostgresOptions } from "./postgres/open.ts";
import { backUpSqlite } from "./sqlite/backup.ts";
import { readSqlite, writeSqlite } from "./sqlite/copy.ts";
import { openSqliteStore, type SqliteOptions } from "./sqlite/open.ts";
import { restoreSqlite } from "./sqlite/restore.ts";
import type { Store } from "./store.ts";

/** A database file. */
export type SqliteAddress = { readonly engine: "sqlite"; readonly path: string };

/** The address of a database. */
export type DatabaseAddress = SqliteAddress | PostgresAddress;

/** Options of a store of any engine. */
export type StoreOptions = Pick<SqliteOptions, "isBulk"> & PostgresOptions;

/** Opens the store of the engine that the address names. */
export async function openStore(address: DatabaseAddress, options?: StoreOptions): Promise<Store> {
  return address.engine === "sqlite"
    ? openSqliteStore(address.path, options)
    : openPostgresStore(address, options);
}

/** Backs up a database to a new file, like {@link backUpSqlite}. */
export function backUpDatabase(
  { path }: SqliteAddress,
  file: string,
  options: BackupOptions,
): Promise<BackupSummary> {
  return backUpSqlite(path, file, options);
}

/** Restores a database from a backup, like {@link restoreSqlite}. */
export function restoreDatabase(
  { path }: SqliteAddress,
  file: string,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  return restoreSqlite(file, path, options);
}

/** Copies a database to another one, which must be empty, like {@link copyDatabase}. */
export function moveDatabase(
  from: DatabaseAddress,
  to: DatabaseAddress,
  options: MoveOptions,
): Promise<MoveSummary> {
  return copyDatabase(
    from.engine === "sqlite" ? readSqlite(from.path) : readPostgres(from),
    to.engine === "sqlite" ? writeSqlite(to.path) : writePostgres(to),
    options,
  );
}
