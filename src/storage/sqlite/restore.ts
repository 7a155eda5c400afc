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

/** What each SQLite database begins with. */
const SQLITE_MARK = Buffer.from("SQLite format 3\0", "latin1");

/** How much is copied at a time, in bytes. */
const PIECE = 4_194_304;

const WHAT = "the backup";

/**
 * Puts a backup in the place of a database: copied beside it as `<path>.restoring`, checked, migrated,
 * then renamed. A database that is there already makes way only with `replace`, and is kept as
 * `<path>.before-restore`. Nothing is in its place, or else the whole backup is.
 *
 * Throws a DomainError: those of {@link checkDatabase} and {@link replaceDatabase}; ALREADY_EXISTS
 * `DATABASE_EXISTS`, `FORMER_EXISTS` or `COPY_EXISTS`; FAILED_PRECONDITION `BACKUP_IN_USE` for a file
 * that is no backup but a database that somebody has open.
 */
export async function restoreSqlite(
  file: string,
  path: string,
  { replace = false, onProgress = () => {} }: RestoreOptions = {},
): Promise<RestoreSummary> {
  checkSource(file);
  // SQLite puts its other files beside what a link leads to.
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
    // Before anything makes way: what cannot be migrated is refused, too.
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
      `${WHAT} has a log beside it, ${basename(file)}${log}: it is a database in use, or only a part of one`,
    );
  }
}

/** Tells whether a database is there, and may make way. */
function checkTarget(file: string, target: string, former: string, replace: boolean): boolean {
  const [found] = findFiles(target);
  if (found === undefined) return false;
  const refuse = (reason: string, message: string) =>
    new DomainError(Code.ALREADY_EXISTS, reason, message);
  const name = basename(former);
  if (!replace) {
    const what = `${basename(target)}${found} exists already`;
    throw refuse("DATABASE_EXISTS", `${what}; --replace keeps it as ${name} and goes on`);
  }
  if (existsSync(target) && realpathSync(file) === target) {
    throw refuse("DATABASE_EXISTS", `${WHAT} is the database itself`);
  }
  if (findFiles(former).length > 0) {
    throw refuse("FORMER_EXISTS", `${name} exists already, of a restore before; move it away`);
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
