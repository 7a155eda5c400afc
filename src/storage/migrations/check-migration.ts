import { readdirSync, readFileSync } from "node:fs";
import { Code, DomainError } from "../../domain/base/errors.ts";
import type { StateLog } from "../contract/connection-pool.ts";

/**
 * The first line of a migration if the previous release can read and write its tables. The first line of any other
 * migration says `must stop`, and why.
 */
const MAY_RUN = "-- Processes of the release before: may run";

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

/** The migrations that a database lacks. */
export interface MissingMigrations {
  readonly statements: readonly string[];
  /** True if all processes of the release before must stop first. */
  readonly mustStop: boolean;
  /** Reports that all of them were applied. */
  done(): void;
}

/** The state of a database to migrate. */
export interface MigrationState {
  /** The number of its last migration; 0 for an empty database. */
  readonly from: number;
  /**
   * True if the database is marked as one of this line of releases, whose migrations have the same numbers. Releases
   * before 0.2.0 did not mark it.
   */
  readonly isMarked: boolean;
  /** The subject of the messages of errors. */
  readonly what: string;
}

/**
 * Returns the migrations that a database lacks, after the check of `checkMigration`, and reports that they begin.
 * `database` is a detail of the reports.
 */
export function beginMigration(
  state: MigrationState,
  folder: URL,
  log: StateLog | undefined,
  database: string,
): MissingMigrations {
  const { from } = state;
  const migrations = listMigrations(folder);
  checkMigration(state, migrations);
  const statements = migrations
    .filter(({ number }) => number > from)
    .map(({ name }) => readFileSync(new URL(name, folder), "utf8"));
  const mustStop = from !== 0 && statements.some((it) => !it.startsWith(MAY_RUN));
  const details = { database, from, to: migrations.at(-1)?.number ?? from };
  const start = performance.now();
  if (from !== 0 && statements.length > 0) {
    log?.warn(
      details,
      mustStop
        ? "database migration begins, processes of the release before must be stopped"
        : "database migration begins, processes of the release before may run",
    );
    // The migration may wait for a lock, or block this process.
    log?.flush?.();
  }
  return {
    ...{ statements, mustStop },
    done() {
      if (from === 0 || statements.length === 0) return;
      const duration_ms = Math.round(performance.now() - start);
      log?.warn({ ...details, duration_ms }, "database migrated");
    },
  };
}

/** The remedy for a database that cannot be migrated because it is in use. */
export const STOP_FIRST =
  "stop every process of the release before, then start this one, which migrates the database";

/**
 * Checks that a database can be migrated to the newest migration. FAILED_PRECONDITION `DATABASE_TOO_NEW` if a newer release
 * or one of another line wrote the database, `DATABASE_TOO_OLD` if it is older than the first migration.
 */
export function checkMigration(
  { from, isMarked, what }: MigrationState,
  migrations: readonly Migration[],
): void {
  const first = migrations[0]?.number ?? 0;
  const newest = migrations.at(-1)?.number ?? 0;
  if (from > newest) {
    const message = isMarked
      ? `${what} is at migration ${from}, but this release supports migrations up to ${newest}; use a newer release`
      : `${what} is at migration ${from} of another line of releases; export its projects with the release that wrote it, and import them into a new database`;
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
