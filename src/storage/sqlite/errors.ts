import Database from "better-sqlite3";
import {
  DomainError,
  databaseUnavailable,
  referenceBroken,
  valueUsed,
} from "../../domain/base/errors.ts";

/** Runs a step and translates the errors of SQLite and the file system into the errors of the store's contract. */
export function translateErrors<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw toDomainError(cause);
  }
}

/** Reports whether an error of {@link translateErrors} means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return findCode(error)?.startsWith("SQLITE_BUSY") === true;
}

/** Reports whether an error of {@link translateErrors} means that the file is not a database. */
export function isNoDatabase(error: unknown): boolean {
  return findCode(error) === "SQLITE_NOTADB";
}

/** The causes why a database cannot be written, by the beginnings of SQLite's codes. */
const WRITE_FAILURES = [
  ["SQLITE_FULL", "the disk is full"],
  ["SQLITE_READONLY", "the file, its folder or its disk is read-only, or the file was moved"],
  ["SQLITE_IOERR", "the disk reports an error"],
  ["SQLITE_CORRUPT", "the file is corrupt"],
  ["SQLITE_NOTADB", "the file is corrupt: it does not begin as a database"],
] as const;

/** Says why an error of {@link translateErrors} means that the database cannot be written; undefined for others. */
export function findWriteFailure(error: unknown): string | undefined {
  const code = findCode(error);
  return WRITE_FAILURES.find(([start]) => code?.startsWith(start))?.[1];
}

function findCode(error: unknown): string | undefined {
  const cause = error instanceof DomainError ? error.cause : undefined;
  return cause instanceof Database.SqliteError ? cause.code : undefined;
}

/** Translates an error of SQLite or the file system into an error of the store's contract. */
export function toDomainError(cause: unknown): unknown {
  if (isSystemError(cause)) return databaseUnavailable(cause);
  if (!(cause instanceof Database.SqliteError)) return cause;
  switch (cause.code) {
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
    case "SQLITE_CONSTRAINT_UNIQUE":
      return valueUsed(cause);
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
      return referenceBroken(cause);
    default:
      if (isDamaged(cause.code)) return databaseUnavailable(cause, { isPermanent: true });
      return isAway(cause.code) ? databaseUnavailable(cause) : cause;
  }
}

function isSystemError(cause: unknown): cause is Error {
  return cause instanceof Error && "syscall" in cause;
}

/** Reports whether only a repair or a restored backup helps. */
function isDamaged(code: string): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

function isAway(code: string): boolean {
  const kinds = ["BUSY", "LOCKED", "CANTOPEN", "IOERR", "FULL", "READONLY"];
  return kinds.some((kind) => code.startsWith(`SQLITE_${kind}`));
}
