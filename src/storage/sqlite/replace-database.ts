import { existsSync, linkSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import { findFiles, syncToDisk } from "./database-files.ts";
import { translateErrors } from "./errors.ts";

/**
 * Replaces a database that no connection has open with a checked copy, and keeps it as `former`, including
 * the changes in its log. One of the two is in place at every moment.
 *
 * Throws a DomainError FAILED_PRECONDITION `DATABASE_IN_USE` if another connection, of this process or
 * another, is open.
 */
export function replaceDatabase(path: string, copy: string, former: string): void {
  const lock = existsSync(path) ? lockDatabase(path) : undefined;
  try {
    // SQLite would apply a remaining log to the restored database.
    for (const suffix of findFiles(path).filter((it) => it !== "")) {
      renameSync(`${path}${suffix}`, `${former}${suffix}`);
    }
    // A link rather than a rename: a server that starts in between must not find the path empty.
    if (existsSync(path)) linkSync(path, former);
    renameSync(copy, path);
    syncToDisk(dirname(path));
  } finally {
    lock?.close();
  }
}

/**
 * Locks a database exclusively, with its log checkpointed into it; undefined for a file too corrupted for
 * SQLite to open, which no process can be using.
 */
function lockDatabase(path: string): Database.Database | undefined {
  const database = translateErrors(() => new Database(path, { fileMustExist: true, timeout: 0 }));
  try {
    // Every connection to a database in WAL mode holds a shared lock, idle or not: only the last
    // connection can leave that mode. The transaction then prevents others from re-entering it.
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    if (database.pragma("journal_mode", { simple: true }) !== "delete") throw inUse();
    return database;
  } catch (fault) {
    database.close();
    const code = fault instanceof Database.SqliteError ? fault.code : "";
    if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) return undefined;
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED")) throw inUse();
    return translateErrors(() => {
      throw fault;
    });
  }
}

function inUse(): DomainError {
  return new DomainError(
    Code.FAILED_PRECONDITION,
    "DATABASE_IN_USE",
    "the database is in use; stop the process that has it open",
  );
}
