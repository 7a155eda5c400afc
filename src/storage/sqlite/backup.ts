import { existsSync, renameSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import type { BackupOptions, BackupSummary, DatabaseContents } from "../backup.ts";
import { checkDatabase, countContents } from "./check-database.ts";
import { appendChecksum } from "./checksum.ts";
import { createCopy, removeFiles, syncToDisk } from "./database-files.ts";
import { translateErrors } from "./errors.ts";

/** The number of pages copied between two progress reports. */
const PAGES_AT_ONCE = 256;

/**
 * Backs up a database to a new file, without blocking its readers and writers: a snapshot, in one file with a
 * checksum, which is checked before it gets its name. Until then the file is `<file>.partial`. Leases, which
 * are in a separate file, are not included.
 *
 * Throws a DomainError: ALREADY_EXISTS `BACKUP_EXISTS` or `COPY_EXISTS`, UNAVAILABLE if the database cannot
 * be read, and those of {@link checkDatabase}. File system errors at `file` are thrown unchanged.
 */
export async function backUpSqlite(
  path: string,
  file: string,
  { onProgress = () => {} }: BackupOptions = {},
): Promise<BackupSummary> {
  // An absolute path: better-sqlite3 trims the name that it is given.
  const target = resolve(file);
  const partial = `${target}.partial`;
  const source = translateErrors(() => {
    statSync(path);
    return new Database(path, { fileMustExist: true });
  });
  // An interrupt ends the process before the copy is removed below.
  const remove = () => removeFiles(partial);
  try {
    createCopy(partial);
    process.once("exit", remove);
    try {
      // After the copy was created, so that no other backup can get the name in between.
      if (existsSync(target)) {
        throw new DomainError(Code.ALREADY_EXISTS, "BACKUP_EXISTS", "the file already exists");
      }
      await copy(source, partial, onProgress);
      onProgress({ step: "check" });
      const contents = finish(partial);
      appendChecksum(partial);
      syncToDisk(partial);
      const bytes = statSync(partial).size;
      renameSync(partial, target);
      syncToDisk(dirname(target));
      return { ...contents, bytes };
    } catch (fault) {
      remove();
      throw fault;
    } finally {
      process.off("exit", remove);
    }
  } finally {
    source.close();
  }
}

async function copy(
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
  } catch (fault) {
    translateErrors(() => {
      throw fault;
    });
  }
}

/** Folds the log into a copy, so that it is a single file, and checks it. */
function finish(partial: string): DatabaseContents {
  const database = new Database(partial);
  try {
    checkDatabase(database, "the database");
    return translateErrors(() => {
      database.pragma("journal_mode = DELETE");
      return countContents(database);
    });
  } finally {
    database.close();
  }
}
