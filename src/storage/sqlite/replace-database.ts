import { existsSync, linkSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import { findFiles, syncToDisk } from "./database-files.ts";
import { translateErrors } from "./errors.ts";

/**
 * Puts a checked copy in the place of a database that nobody has open, and keeps that as `former`,
 * with the changes in its log. At every moment one of the two is in place.
 *
 * Throws a DomainError FAILED_PRECONDITION `DATABASE_IN_USE` if another connection is open, of this
 * process or of another.
 */
export function replaceDatabase(path: string, copy: string, former: string): void {
  const lock = existsSync(path) ? lockDatabase(path) : undefined;
  try {
    // A log that stayed would be taken for one of the restored database.
    for (const suffix of findFiles(path).filter((it) => it !== "")) {
      renameSync(`${path}${suffix}`, `${former}${suffix}`);
    }
    // A link, and no renaming: a server that starts in between must not find the place empty.
    if (existsSync(path)) linkSync(path, former);
    renameSync(copy, path);
    syncToDisk(dirname(path));
  } finally {
    lock?.close();
  }
}

/**
 * Takes a database for this connection alone, with its log written back into it; undefined for a file
 * so broken that SQLite cannot: nobody can work with that either.
 */
function lockDatabase(path: string): Database.Database | undefined {
  const database = translateErrors(() => new Database(path, { fileMustExist: true, timeout: 0 }));
  try {
    // Whoever has a database in WAL mode open holds a shared lock, idle or not: only the last
    // connection can leave that mode. The transaction then keeps everybody else from going back.
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
    "a process has the database open; end it first",
  );
}
