import Database from "better-sqlite3";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { Code } from "../../src/domain/base/errors.ts";
import { translateError } from "../../src/storage/postgres/errors.ts";
import { toDomainError } from "../../src/storage/sqlite/errors.ts";

const UNAVAILABLE = { code: Code.UNAVAILABLE, reason: "DATABASE_UNAVAILABLE" };

test.each([
  ["SQLITE_FULL", 1],
  ["SQLITE_IOERR_WRITE", 1],
  ["SQLITE_READONLY", 1],
  ["SQLITE_BUSY", 1],
  ["SQLITE_CORRUPT", undefined],
  ["SQLITE_CORRUPT_VTAB", undefined],
  ["SQLITE_NOTADB", undefined],
])("SQLite's %s is unavailable, and tried again after %s", (code, retryAfter) => {
  const error = toDomainError(new Database.SqliteError("text", code));
  expect(error).toMatchObject({ ...UNAVAILABLE, retryAfter });
});

test.each([
  ["53100", 1],
  ["25006", 1],
  ["58030", 1],
  ["XX001", undefined],
  ["XX002", undefined],
])("PostgreSQL's %s is unavailable, and tried again after %s", (code, retryAfter) => {
  const cause = Object.assign(new DatabaseError("text", 4, "error"), { code });
  expect(translateError(cause)).toMatchObject({ ...UNAVAILABLE, retryAfter });
});
