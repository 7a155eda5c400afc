import { readdirSync, readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";

/** What a database file holds: everything, or the leases of viewers alone. */
export type DatabaseKind = "content" | "leases";

const FOLDERS: Readonly<Record<DatabaseKind, URL>> = {
  content: new URL("../migrations/sqlite/", import.meta.url),
  leases: new URL("../migrations/sqlite-leases/", import.meta.url),
};

/**
 * Brings a database of a kind to the newest migration, all missing ones in one transaction. The
 * number in the name of the last one is kept as `user_version`. FAILED_PRECONDITION `DATABASE_TOO_NEW` if the
 * database was written by a newer release, `DATABASE_TOO_OLD` if it is older than the first migration.
 */
export function migrate(database: Database.Database, kind: DatabaseKind = "content"): void {
  const folder = FOLDERS[kind];
  const files = listMigrations(kind);
  const newest = files.at(-1)?.number ?? 0;
  const current = () => Number(database.pragma("user_version", { simple: true }));
  if (current() === newest) return;
  // A table that is made anew would take what refers to it along. Within a transaction this says nothing.
  const checksReferences = database.pragma("foreign_keys", { simple: true });
  database.pragma("foreign_keys = OFF");
  try {
    database
      .transaction(() => {
        const from = current();
        checkMigration(from, kind);
        for (const { name } of files.filter((file) => file.number > from)) {
          database.exec(readFileSync(new URL(name, folder), "utf8"));
        }
        database.pragma(`user_version = ${newest}`);
      })
      .immediate();
  } finally {
    database.pragma(`foreign_keys = ${checksReferences}`);
  }
}

/**
 * Checks that a database at a migration can be brought to the newest one; 0 is an empty database.
 * Throws as {@link migrate} does. `what` is the subject of the message.
 */
export function checkMigration(from: number, kind: DatabaseKind, what = "the database"): void {
  const numbers = listMigrations(kind).map(({ number }) => number);
  const first = numbers[0] ?? 0;
  const newest = numbers.at(-1) ?? 0;
  if (from > newest) {
    const message = `${what} is at migration ${from}, this release knows ${newest}`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_TOO_NEW", message);
  }
  if (from !== 0 && from < first) {
    const message = `${what} is at migration ${from}, this release begins at ${first}`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_TOO_OLD", message);
  }
}

function listMigrations(kind: DatabaseKind) {
  return readdirSync(FOLDERS[kind])
    .sort()
    .map((name) => ({ name, number: Number.parseInt(name, 10) }));
}
