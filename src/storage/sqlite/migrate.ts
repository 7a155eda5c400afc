import { readdirSync, readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";

const FOLDER = new URL("../migrations/sqlite/", import.meta.url);

/**
 * Brings a database to the newest migration, all missing ones in one transaction. The number in the
 * name of the last one is kept as `user_version`. FAILED_PRECONDITION `DATABASE_TOO_NEW` if the
 * database was written by a newer release, `DATABASE_TOO_OLD` if it is older than the first migration.
 */
export function migrate(database: Database.Database): void {
  const files = readdirSync(FOLDER)
    .sort()
    .map((name) => ({ name, number: Number.parseInt(name, 10) }));
  const first = files[0]?.number ?? 0;
  const newest = files.at(-1)?.number ?? 0;
  const current = () => Number(database.pragma("user_version", { simple: true }));
  if (current() === newest) return;
  database
    .transaction(() => {
      const from = current();
      if (from > newest) {
        throw refuse("DATABASE_TOO_NEW", `is at migration ${from}, this release knows ${newest}`);
      }
      if (from !== 0 && from < first) {
        throw refuse(
          "DATABASE_TOO_OLD",
          `is at migration ${from}, this release begins at ${first}`,
        );
      }
      for (const { name } of files.filter((file) => file.number > from)) {
        database.exec(readFileSync(new URL(name, FOLDER), "utf8"));
      }
      database.pragma(`user_version = ${newest}`);
    })
    .immediate();
}

function refuse(reason: string, what: string): DomainError {
  return new DomainError(Code.FAILED_PRECONDITION, reason, `the database ${what}`);
}
