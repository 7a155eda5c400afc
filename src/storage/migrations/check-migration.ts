import { readdirSync } from "node:fs";
import { Code, DomainError } from "../../domain/errors.ts";

/** A file of a folder of migrations. */
export interface Migration {
  readonly name: string;
  readonly number: number;
}

/** Lists the migrations of a folder in their order. */
export function listMigrations(folder: URL): readonly Migration[] {
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, number: Number.parseInt(name, 10) }));
}

/**
 * Checks that a database at migration `from` can be migrated to the newest one; 0 is an empty database.
 * FAILED_PRECONDITION `DATABASE_TOO_NEW` if a newer release wrote the database, `DATABASE_TOO_OLD` if it is older
 * than the first migration. `what` is the subject of the message.
 */
export function checkMigration(
  from: number,
  migrations: readonly Migration[],
  what = "the database",
): void {
  const first = migrations[0]?.number ?? 0;
  const newest = migrations.at(-1)?.number ?? 0;
  if (from > newest) {
    const message = `${what} is at migration ${from}, but this release supports migrations up to ${newest}; use a newer release`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_TOO_NEW", message);
  }
  if (from !== 0 && from < first) {
    const message = `${what} is at migration ${from}, but this release supports migrations from ${first}; migrate it with an older release first`;
    throw new DomainError(Code.FAILED_PRECONDITION, "DATABASE_TOO_OLD", message);
  }
}

/** Creates the error of a command that needs an existing database: NOT_FOUND `DATABASE_MISSING`. */
export function missingDatabase(what: string): DomainError {
  const message = `${what} does not exist or is empty; init and serve create it`;
  return new DomainError(Code.NOT_FOUND, "DATABASE_MISSING", message);
}
