import { readdirSync, readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";

const FOLDER = new URL("../migrations/sqlite/", import.meta.url);

/**
 * Brings a database to the newest migration, all missing ones in one transaction. The number of the
 * last one is kept as `user_version`. FAILED_PRECONDITION `DATABASE_TOO_NEW` if the database was
 * written by a newer release.
 */
export function migrate(database: Database.Database): void {
  const files = readdirSync(FOLDER).sort();
  const current = () => Number(database.pragma("user_version", { simple: true }));
  if (current() === files.length) return;
  database
    .transaction(() => {
      const from = current();
      if (from > files.length) {
        throw new DomainError(
          Code.FAILED_PRECONDITION,
          "DATABASE_TOO_NEW",
          `the database is at migration ${from}, this release knows ${files.length}`,
        );
      }
      for (const file of files.slice(from)) {
        database.exec(readFileSync(new URL(file, FOLDER), "utf8"));
      }
      database.pragma(`user_version = ${files.length}`);
    })
    .immediate();
}
