import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import type { DatabaseContents, RestoreOptions, RestoreSummary } from "../backup.ts";
import { broken, checkDatabase, countContents, noDatabase } from "./check-database.ts";
import { cutChecksum } from "./checksum.ts";
import { createCopy, findFiles, removeFiles, syncToDisk } from "./database-files.ts";
import { translateErrors } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { makeFolder, openSqliteStore } from "./open.ts";
import { replaceDatabase } from "./replace-database.ts";

/** The first bytes of every SQLite database. */
const SQLITE_MARK = Buffer.from("SQLite format 3\0", "latin1");

/** The bytes copied at a time. */
const PIECE = 4_194_304;

const WHAT = "the backup";

/**
 * Restores a database from a backup: copies it to `<path>.restoring`, checks it, migrates it, and renames it.
 * An existing database is replaced only with `replace`, and is kept as `<path>.before-restore`. The restore
 * is atomic: the path never holds a part of the backup.
 *
 * Throws a DomainError: those of {@link checkDatabase} and {@link replaceDatabase}; ALREADY_EXISTS
 * `DATABASE_EXISTS`, `FORMER_EXISTS` or `COPY_EXISTS`; FAILED_PRECONDITION `BACKUP_IN_USE` for a file that is
 * not a backup but an open database.
 */
export async function restoreSqlite(
  file: string,
  path: string,
  { replace = false, onProgress = () => {} }: RestoreOptions = {},
): Promise<RestoreSummary> {
  checkSource(file);
  // SQLite creates its other files next to the target of a link.
  const target = existsSync(path) ? realpathSync(path) : resolve(path);
  const former = `${target}.before-restore`;
  const isThere = checkTarget(file, target, former, replace);
  makeFolder(dirname(target));
  const copy = `${target}.restoring`;
  createCopy(copy);
  let hasChecksum: boolean;
  try {
    copyFile(file, copy, onProgress);
    onProgress({ step: "check" });
    hasChecksum = cutChecksum(copy, WHAT);
    // Before the database is replaced, so that a failed migration leaves it in place.
    checkCopy(copy);
    syncToDisk(copy);
    replaceDatabase(target, copy, former);
  } catch (fault) {
    removeFiles(copy);
    throw fault;
  }
  const store = openSqliteStore(target);
  await store.readiness().finally(() => store.close());
  return {
    ...readContents(target),
    bytes: statSync(target).size,
    hasChecksum,
    ...(isThere && { former }),
  };
}

function checkSource(file: string): void {
  const begin = Buffer.alloc(SQLITE_MARK.length);
  const source = openSync(file, "r");
  try {
    readSync(source, begin, 0, begin.length, 0);
  } finally {
    closeSync(source);
  }
  if (!begin.equals(SQLITE_MARK)) throw noDatabase(WHAT);
  const log = ["-wal", "-journal"].find((suffix) => {
    const stats = statSync(`${file}${suffix}`, { throwIfNoEntry: false });
    return stats !== undefined && stats.size > 0;
  });
  if (log !== undefined) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "BACKUP_IN_USE",
      `${WHAT} has a log, ${basename(file)}${log}: it is a database in use or an incomplete copy of one`,
    );
  }
}

/**
 * Checks that the target may be written, and reports whether a database is there; ALREADY_EXISTS if it must
 * not be replaced.
 */
function checkTarget(file: string, target: string, former: string, replace: boolean): boolean {
  const [found] = findFiles(target);
  if (found === undefined) return false;
  const refuse = (reason: string, message: string) =>
    new DomainError(Code.ALREADY_EXISTS, reason, message);
  const name = basename(former);
  if (!replace) {
    const what = `${basename(target)}${found} already exists`;
    throw refuse("DATABASE_EXISTS", `${what}; use --replace to replace it and keep it as ${name}`);
  }
  if (existsSync(target) && realpathSync(file) === target) {
    throw refuse("DATABASE_EXISTS", `${WHAT} and the database are the same file`);
  }
  if (findFiles(former).length > 0) {
    throw refuse(
      "FORMER_EXISTS",
      `${name} already exists from an earlier restore; move it elsewhere`,
    );
  }
  return existsSync(target);
}

function copyFile(
  from: string,
  to: string,
  onProgress: NonNullable<RestoreOptions["onProgress"]>,
): void {
  const source = openSync(from, "r");
  const copy = openSync(to, "r+");
  try {
    const { size } = fstatSync(source);
    const piece = Buffer.alloc(PIECE);
    for (let bytes = 0; ; ) {
      const length = readSync(source, piece);
      if (length === 0) break;
      for (let at = 0; at < length; ) at += writeSync(copy, piece, at, length - at);
      bytes += length;
      onProgress({ step: "copy", bytes, size });
    }
  } finally {
    closeSync(source);
    closeSync(copy);
  }
}

function checkCopy(path: string): void {
  const database = new Database(path);
  try {
    checkDatabase(database, WHAT);
    translateErrors(() => database.pragma("journal_mode = DELETE"));
    migrateCopy(database);
  } finally {
    database.close();
  }
}

function migrateCopy(database: Database.Database): void {
  try {
    translateErrors(() => migrate(database));
  } catch (fault) {
    if (!(fault instanceof Database.SqliteError)) throw fault;
    throw broken(WHAT, `it cannot be migrated: ${fault.message}`);
  }
}

function readContents(path: string): DatabaseContents {
  return translateErrors(() => {
    const database = new Database(path, { fileMustExist: true });
    try {
      return countContents(database);
    } finally {
      database.close();
    }
  });
}
