import { readdirSync, readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { Code, DomainError } from "../../domain/errors.ts";
import { fillEntitlements } from "./fill-entitlements.ts";

/** What a database file holds: everything, or the leases of viewers alone. */
export type DatabaseKind = "content" | "leases";

const FOLDERS: Readonly<Record<DatabaseKind, URL>> = {
  content: new URL("../migrations/sqlite/", import.meta.url),
  leases: new URL("../migrations/sqlite-leases/", import.meta.url),
};

/** What fills the tables of a migration where SQL cannot, by its name. */
const FILLS: ReadonlyMap<string, (database: Database.Database) => void> = new Map([
  ["0004_playback.sql", fillEntitlements],
]);

/**
 * Brings a database of a kind to the newest migration, all missing ones in one transaction. The
 * number in the name of the last one is kept as `user_version`. FAILED_PRECONDITION
 * `DATABASE_TOO_NEW` if the database was written by a newer release, `DATABASE_TOO_OLD` if it is
 * older than the first migration.
 */
export function migrate(database: Database.Database, kind: DatabaseKind = "content"): void {
  const folder = FOLDERS[kind];
  const files = readdirSync(folder)
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
        database.exec(readFileSync(new URL(name, folder), "utf8"));
        if (kind === "content") FILLS.get(name)?.(database);
      }
      database.pragma(`user_version = ${newest}`);
    })
    .immediate();
}

function refuse(reason: string, what: string): DomainError {
  return new DomainError(Code.FAILED_PRECONDITION, reason, `the database ${what}`);
}
