import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";
import type { Schema } from "../sql/schema.ts";
import { createSqlStore } from "../sql/store.ts";
import type { Store } from "../store.ts";
import { translateErrors } from "./errors.ts";
import { migrate } from "./migrate.ts";

/** How long a writer waits for another process's transaction, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the database file, made if it is missing, and brings it to the newest migration.
 *
 * One connection writes and one reads. `synchronous=FULL` in WAL mode: an answered write survives
 * the death of the process and of the machine. Throws a DomainError UNAVAILABLE if the file cannot
 * be opened.
 */
export function openSqliteStore(path: string): Store {
  return translateErrors(() => {
    mkdirSync(dirname(path), { recursive: true });
    const writer = openConnection(path);
    writer.pragma("journal_mode = WAL");
    writer.pragma("synchronous = FULL");
    migrate(writer);
    const reader = openConnection(path);
    reader.pragma("query_only = ON");
    return createSqlStore({ read: connect(reader), write: connect(writer) });
  });
}

function openConnection(path: string): Database.Database {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  database.pragma("foreign_keys = ON");
  database.pragma("cache_size = -65536");
  return database;
}

function connect(database: Database.Database): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: prepared(database) }) });
}

/**
 * Gives Kysely a connection that prepares each statement once and whose transactions take the write
 * lock when they begin, so that none fails half way because another process wrote in between.
 */
function prepared(database: Database.Database): SqliteDatabase {
  const statements = new Map<string, Database.Statement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        const text = sql === "begin" && !isReadOnly(database) ? "begin immediate" : sql;
        statement = translateErrors(() => database.prepare(text));
        statements.set(sql, statement);
      }
      const ready = statement;
      return {
        reader: ready.reader,
        all: (parameters) => translateErrors(() => ready.all(...parameters)),
        run: (parameters) => translateErrors(() => ready.run(...parameters)),
        iterate: (parameters) =>
          ready.iterate(...parameters) as IterableIterator<Record<string, unknown>>,
      };
    },
  };
}

function isReadOnly(database: Database.Database): boolean {
  return database.pragma("query_only", { simple: true }) === 1;
}
