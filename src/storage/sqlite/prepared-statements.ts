import type Database from "better-sqlite3";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import { translateErrors } from "./errors.ts";

/** The most prepared statements a connection caches: every shape of filter has its own. */
const KEPT_STATEMENTS = 500;

/**
 * Wraps a connection for Kysely so that it prepares each statement once, runs it after `check`, and translates
 * errors.
 */
export function prepareOnce(
  database: Database.Database,
  check: () => void = () => {},
): SqliteDatabase {
  /** Ordered by last use, least recent first. */
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = translated(
          translateErrors(() => database.prepare(sql)),
          check,
        );
        for (const oldest of statements.keys()) {
          if (statements.size < KEPT_STATEMENTS) break;
          statements.delete(oldest);
        }
      } else {
        statements.delete(sql);
      }
      statements.set(sql, statement);
      return statement;
    },
  };
}

function translated(statement: Database.Statement, check: () => void): SqliteStatement {
  return {
    reader: statement.reader,
    all(parameters) {
      check();
      return translateErrors(() => statement.all(...parameters));
    },
    run(parameters) {
      check();
      return translateErrors(() => statement.run(...parameters));
    },
    iterate: (parameters) =>
      statement.iterate(...parameters) as IterableIterator<Record<string, unknown>>,
  };
}
