import type Database from "better-sqlite3";
import type { SqliteDatabase, SqliteStatement } from "kysely";
import type { ConnectionPool } from "../connection-pool.ts";
import { translateErrors } from "./errors.ts";

/** The most prepared statements a connection caches: every shape of filter has its own. */
const KEPT_STATEMENTS = 500;

/**
 * Wraps a connection of a pool for Kysely so that it prepares each statement once, runs it after `check`, counts its
 * time, and translates errors.
 */
export function prepareOnce(
  database: Database.Database,
  pool: ConnectionPool,
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
          pool,
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

function translated(
  statement: Database.Statement,
  pool: ConnectionPool,
  check: () => void,
): SqliteStatement {
  const counted = <T>(run: () => T): T => {
    check();
    const start = performance.now();
    try {
      return translateErrors(run);
    } finally {
      pool.count(statement.source, start);
    }
  };
  return {
    reader: statement.reader,
    all: (parameters) => counted(() => statement.all(...parameters)),
    run: (parameters) => counted(() => statement.run(...parameters)),
    iterate: (parameters) =>
      statement.iterate(...parameters) as IterableIterator<Record<string, unknown>>,
  };
}
