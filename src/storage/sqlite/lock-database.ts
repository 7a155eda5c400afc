import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/base/errors.ts";
import { translateErrors } from "./errors.ts";

/**
 * Locks a database exclusively, with its log checkpointed into it; undefined for a file too corrupted for
 * SQLite to open, which no process can be using. FAILED_PRECONDITION `DATABASE_IN_USE` if another connection is open;
 * `what` is the subject of its message, which ends with a remedy.
 */
export function lockDatabase(
  path: string,
  what: string,
  remedy = "stop the process that has it open",
): Database.Database | undefined {
  const database = translateErrors(() => new Database(path, { fileMustExist: true, timeout: 0 }));
  try {
    // Every connection to a database in WAL mode has a shared lock, idle or not: only the last connection can leave
    // that mode. The transaction then prevents others from re-entering it.
    database.pragma("journal_mode = DELETE");
    database.exec("BEGIN EXCLUSIVE");
    if (database.pragma("journal_mode", { simple: true }) !== "delete") throw inUse(what, remedy);
    return database;
  } catch (error) {
    database.close();
    const code = error instanceof Database.SqliteError ? error.code : "";
    if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) return undefined;
    if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
      throw inUse(what, remedy);
    return translateErrors(() => {
      throw error;
    });
  }
}

function inUse(what: string, remedy: string): DomainError {
  const message = `${what} is in use; ${remedy}`;
  return new DomainError(Code.FAILED_PRECONDITION, "DATABASE_IN_USE", message);
}
