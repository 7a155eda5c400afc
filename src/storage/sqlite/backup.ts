import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { Code, copyExists, DomainError, type Reason } from "../../domain/base/errors.ts";
import type {
  BackupOptions,
  BackupSummary,
  DatabaseContents,
  RestoreOptions,
  RestoreSummary,
} from "../contract/backup.ts";
import { broken, checkDatabase, countContents, noDatabase } from "./check-database.ts";
import { translateErrors } from "./errors.ts";
import { lockDatabase } from "./lock-database.ts";
import { migrate } from "./migrate.ts";
import { makeFolder } from "./open.ts";

/** The number of pages copied between two progress reports. */
const PAGES_AT_ONCE = 256;

/** The suffixes of a database's files, the main file first. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/**
 * Backs up a database to a new file, without blocking its readers and writers: a snapshot in one file, which is
 * checked before it gets its name. Until then the file is `<file>.partial`. Leases, which are in a separate file, are
 * not included.
 *
 * Throws the errors of {@link checkDatabase}, and a DomainError: ALREADY_EXISTS `BACKUP_EXISTS` or `COPY_EXISTS`, or
 * UNAVAILABLE if the database cannot be read. File system errors at `file` are thrown unchanged.
 */
export async function backUpSqlite(
  path: string,
  file: string,
  { onProgress = () => {} }: BackupOptions = {},
): Promise<BackupSummary> {
  // An absolute path, because better-sqlite3 trims the given name.
  const target = resolve(file);
  const partial = `${target}.partial`;
  const source = translateErrors(() => {
    statSync(path);
    return new Database(path, { fileMustExist: true });
  });
  try {
    return await intoCopy(partial, async () => {
      // After the copy was created, so that no other backup can get the name in between.
      // SQLite would delete a backup that has the name of its log.
      const others = SUFFIXES.slice(1).map((suffix) => `${realpathSync(path)}${suffix}`);
      const isOfDatabase = others.includes(target);
      if (isOfDatabase || existsSync(target)) {
        const message = `${file} ${isOfDatabase ? "is a file of the database" : "already exists"}`;
        throw new DomainError(Code.ALREADY_EXISTS, "BACKUP_EXISTS", message);
      }
      await copySnapshot(source, partial, onProgress);
      onProgress({ step: "check" });
      const contents = finishCopy(partial, "the database");
      const bytes = statSync(partial).size;
      renameSync(partial, target);
      syncToDisk(dirname(target));
      return { ...contents, bytes };
    });
  } finally {
    source.close();
  }
}

/**
 * Restores a database from a backup: copies it to `<path>.restoring`, checks it, migrates it, and renames it. An
 * existing database is replaced only with `replace`, and is kept as `<path>.before-restore`. The restore is atomic:
 * the path never contains a part of the backup.
 *
 * Throws the errors of {@link checkDatabase}, and a DomainError:
 * - ALREADY_EXISTS `DATABASE_EXISTS`, `FORMER_EXISTS` or `COPY_EXISTS`: a file exists.
 * - FAILED_PRECONDITION `DATABASE_IN_USE`: another connection to the replaced database is open.
 * - FAILED_PRECONDITION `BACKUP_IN_USE`: the file is not a backup but an open database.
 */
export async function restoreSqlite(
  file: string,
  path: string,
  { replace = false }: RestoreOptions = {},
): Promise<RestoreSummary> {
  const what = `the backup ${file}`;
  checkBackup(file, what);
  // SQLite creates its other files next to the target of a link.
  const target = existsSync(path) ? realpathSync(path) : resolve(path);
  const former = `${target}.before-restore`;
  checkTarget(file, target, former, replace);
  makeFolder(dirname(target));
  const copy = `${target}.restoring`;
  return await intoCopy(copy, async () => {
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    // Migrated before the database is replaced, so that a failed migration leaves it in place.
    const contents = finishCopy(copy, what, (database) => migrateBackup(database, what));
    const bytes = statSync(copy).size;
    const isReplaced = replaceDatabase(target, copy, former);
    return { ...contents, bytes, ...(isReplaced && { former }) };
  });
}

/**
 * Creates a file that only its owner can read, and runs a step that fills and renames it. The file is removed if the
 * step fails or the process exits. ALREADY_EXISTS `COPY_EXISTS` if it exists, because another process may be writing
 * it.
 */
async function intoCopy<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    throw copyExists(basename(path));
  }
  const remove = () => {
    for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
  };
  process.once("exit", remove);
  try {
    return await run();
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off("exit", remove);
  }
}

async function copySnapshot(
  source: Database.Database,
  partial: string,
  onProgress: NonNullable<BackupOptions["onProgress"]>,
): Promise<void> {
  try {
    const pageSize = Number(source.pragma("page_size", { simple: true }));
    // Pins a snapshot: otherwise the copy restarts with every write of another process.
    source.exec("BEGIN");
    source.prepare("SELECT 1 FROM sqlite_schema").get();
    await source.backup(partial, {
      progress({ totalPages, remainingPages }) {
        const bytes = (totalPages - remainingPages) * pageSize;
        onProgress({ step: "copy", bytes, size: totalPages * pageSize });
        return PAGES_AT_ONCE;
      },
    });
    source.exec("COMMIT");
  } catch (error) {
    translateErrors(() => {
      throw error;
    });
  }
}

/** Checks a copy, merges its log into it, so that it is a single file, and writes it to disk. */
function finishCopy(
  path: string,
  what: string,
  change: (database: Database.Database) => void = () => {},
): DatabaseContents {
  const database = new Database(path);
  try {
    checkDatabase(database, what);
    return translateErrors(() => {
      database.pragma("journal_mode = DELETE");
      change(database);
      return countContents(database);
    });
  } finally {
    database.close();
    syncToDisk(path);
  }
}

function migrateBackup(database: Database.Database, what: string): void {
  // SQLite accepts an incomplete last page as a whole one.
  if (statSync(database.name).size % Number(database.pragma("page_size", { simple: true })) > 0) {
    throw broken(what, "the file is truncated");
  }
  try {
    migrate(database);
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    throw broken(what, `cannot be migrated: ${error.message}`);
  }
}

/** Checks that a file is not empty and has no log: a backup without its log would lack its last changes. */
function checkBackup(file: string, what: string): void {
  const stats = statSync(file);
  if (stats.isDirectory() || stats.size === 0) throw noDatabase(what);
  const log = ["-wal", "-journal"].find((suffix) => {
    const stats = statSync(`${file}${suffix}`, { throwIfNoEntry: false });
    return stats !== undefined && stats.size > 0;
  });
  if (log === undefined) return;
  throw new DomainError(
    Code.FAILED_PRECONDITION,
    "BACKUP_IN_USE",
    `${what} has a log, ${basename(file)}${log}: it is a database in use or an incomplete copy of one`,
  );
}

/** Checks that a database may be written to the target. */
function checkTarget(file: string, target: string, former: string, replace: boolean): void {
  const suffix = findSuffix(target);
  if (suffix === undefined) return;
  const rejection = (reason: Reason, message: string) =>
    new DomainError(Code.ALREADY_EXISTS, reason, message);
  const name = basename(former);
  if (!replace) {
    const existing = `${basename(target)}${suffix} already exists`;
    throw rejection(
      "DATABASE_EXISTS",
      `${existing}; use --replace to replace it and keep it as ${name}`,
    );
  }
  if (existsSync(target) && realpathSync(file) === target) {
    throw rejection("DATABASE_EXISTS", "the backup and the database are the same file");
  }
  if (findSuffix(former) === undefined) return;
  throw rejection(
    "FORMER_EXISTS",
    `${name} already exists from an earlier restore; move it elsewhere`,
  );
}

function findSuffix(path: string): string | undefined {
  return SUFFIXES.find((suffix) => existsSync(`${path}${suffix}`));
}

/**
 * Replaces a database without open connections by a copy, and keeps it as `former`, including the changes in its log.
 * One of the two is in place at every moment. Reports whether there was a database.
 */
function replaceDatabase(path: string, copy: string, former: string): boolean {
  const isReplaced = existsSync(path);
  const lock = isReplaced ? lockDatabase(path, "the database") : undefined;
  try {
    // SQLite would apply a remaining log to the restored database.
    for (const suffix of SUFFIXES.slice(1)) {
      if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${former}${suffix}`);
    }
    // A link instead of a rename: a server that starts in between must not find the path empty.
    if (isReplaced) linkSync(path, former);
    renameSync(copy, path);
    syncToDisk(dirname(path));
    return isReplaced;
  } finally {
    lock?.close();
  }
}

/** Syncs a file, or the entries of a directory, to disk. */
function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
