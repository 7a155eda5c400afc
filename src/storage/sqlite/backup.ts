import { existsSync, renameSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import type { BackupOptions, BackupSummary, DatabaseContents } from "../backup.ts";
import { checkDatabase, countContents } from "./check-database.ts";
import { appendChecksum } from "./checksum.ts";
import { createCopy, removeFiles, syncToDisk } from "./database-files.ts";
import { translateErrors } from "./errors.ts";

/** How many pages are copied between two reports of progress. */
const PAGES_AT_ONCE = 256;

/**
 * Backs a database up into a new file, while others read and write it: the state of one moment, in one
 * file with a checksum, checked before it gets its name. Until then it is `<file>.partial`. Leases,
 * which lie in a file of their own, are left out.
 *
 * Throws a DomainError: ALREADY_EXISTS `BACKUP_EXISTS` or `COPY_EXISTS`, UNAVAILABLE if the database
 * cannot be read, those of {@link checkDatabase} if it is not worth a backup. A fault of the file
 * system at `file` is thrown as it is.
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
  try {
    createCopy(partial);
    try {
      // After the copy was created, so that no other backup can get the name in between.
      if (existsSync(target)) {
        throw new DomainError(Code.ALREADY_EXISTS, "BACKUP_EXISTS", "the file exists already");
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
      removeFiles(partial);
      throw fault;
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
    // Holds on to one state: otherwise the copy begins anew with every write of another process.
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

/** Makes a copy one file that needs no log beside it, and checks it. */
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
