import Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";

/**
 * Runs a step and turns what SQLite throws, and what the file system throws, into the errors that the
 * store's contract names.
 */
export function translateErrors<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw toDomainError(cause);
  }
}

/** Tells whether an error of {@link translateErrors} means that another connection holds a lock. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof DomainError &&
    error.cause instanceof Database.SqliteError &&
    error.cause.code.startsWith("SQLITE_BUSY")
  );
}

function toDomainError(cause: unknown): unknown {
  if (isSystemError(cause)) return away(cause);
  if (!(cause instanceof Database.SqliteError)) return cause;
  switch (cause.code) {
    case "SQLITE_CONSTRAINT_PRIMARYKEY":
    case "SQLITE_CONSTRAINT_UNIQUE":
      return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", "it exists already", { cause });
    case "SQLITE_CONSTRAINT_FOREIGNKEY":
      return new DomainError(
        Code.FAILED_PRECONDITION,
        "REFERENCE_BROKEN",
        "it refers to something that does not exist",
        { cause },
      );
    default:
      return isAway(cause.code) ? away(cause) : cause;
  }
}

function away(cause: Error): DomainError {
  return new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "the database is away", {
    cause,
  });
}

function isSystemError(cause: unknown): cause is Error {
  return cause instanceof Error && "syscall" in cause;
}

function isAway(code: string): boolean {
  const kinds = ["BUSY", "LOCKED", "CANTOPEN", "IOERR", "FULL", "NOTADB", "CORRUPT", "READONLY"];
  return kinds.some((kind) => code.startsWith(`SQLITE_${kind}`));
}
