import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";
import type { Schema } from "../sql/schema.ts";
import { createSqlStore } from "../sql/store.ts";
import type { Store } from "../store.ts";
import { createBulkMode } from "./bulk-mode.ts";
import { watchChanges } from "./change-watch.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import { translateErrors } from "./errors.ts";
import { addFunctions } from "./functions.ts";
import { type DatabaseKind, migrate } from "./migrate.ts";
import { createSnapshotReaders } from "./snapshot-readers.ts";
import { WriterDialect } from "./writer-dialect.ts";

const BUSY_TIMEOUT_MS = 5_000;

/** What the name of the file of leases has behind that of the database. */
const LEASES_SUFFIX = "-leases";

/** How much of the file each connection keeps in memory, in KiB. */
const CACHE_KIB = 65_536;

/** How much of the file reads take straight from the system's cache, which saves a copy of each page. */
const MAPPED_BYTES = 2 ** 31;

/** How a store over a database file works. */
export interface SqliteOptions {
  /** How long a writer waits for another process's transaction, in milliseconds; default: 5,000. */
  readonly busyTimeoutMs?: number;
  /** `OFF`: the death of the machine may lose or damage the content; default: `FULL`. */
  readonly synchronous?: "FULL" | "OFF";
}

/**
 * Opens the database file, made if it is missing, and brings it to the newest migration.
 *
 * One connection writes, one reads, one watches for changes, and each snapshot has one of its own.
 * `synchronous=FULL` in WAL mode: an answered write survives the death of the process and of the machine. Throws a DomainError
 * UNAVAILABLE if the file cannot be opened.
 *
 * Leases lie in a file of their own beside it, `<path>-leases`: every player writes one again and
 * again, which must neither wait for an import, nor for the disk, nor move the version of the content.
 */
export function openSqliteStore(
  path: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, synchronous = "FULL" }: SqliteOptions = {},
): Store {
  const opened: Database.Database[] = [];
  const open = (file: string = path) => {
    const database = openConnection(file, busyTimeoutMs);
    opened.push(database);
    return database;
  };
  const openWriter = (file: string, kind: DatabaseKind, sync: string) => {
    // For its owner's eyes only: it holds keys. SQLite gives its other files the same mode.
    closeSync(openSync(file, "a", 0o600));
    const writer = open(file);
    writer.pragma("journal_mode = WAL");
    writer.pragma(`synchronous = ${sync}`);
    migrate(writer, kind);
    // Every write is a transaction, and those wait for their lock in the dialect.
    writer.pragma("busy_timeout = 0");
    return writer;
  };
  const closeAll = () => {
    for (const database of opened) database.close();
  };
  try {
    return translateErrors(() => {
      makeFolder(dirname(path));
      const writer = openWriter(path, "content", synchronous);
      const openReader = () => {
        const reader = open();
        reader.pragma("query_only = ON");
        reader.pragma(`mmap_size = ${MAPPED_BYTES}`);
        return new Kysely<Schema>({ dialect: new SqliteDialect({ database: prepared(reader) }) });
      };
      const read = openReader();
      const readers = createSnapshotReaders(openReader);
      const watcher = open();
      const { bump, ...changes } = watchChanges(watcher);
      const leases = openWriter(`${path}${LEASES_SUFFIX}`, "leases", "NORMAL");
      const toKysely = (database: Database.Database, onCommit: () => void) =>
        new Kysely<Schema>({
          dialect: new WriterDialect(prepared(database), busyTimeoutMs, onCommit),
        });
      const write = toKysely(writer, bump);
      const writeLeases = toKysely(leases, () => {});
      return createSqlStore({
        read,
        write,
        leases: writeLeases,
        dialect: SQLITE_DIALECT,
        changes,
        bulk: createBulkMode(CACHE_KIB),
        // What is committed is seen by every transaction that begins after it.
        snapshot: (_, run) => readers.run(run),
        // Not in line behind other reads: whether they are many is another question.
        readiness: async () => ({
          schema: translateErrors(() => readSchema(watcher)),
          primary: true,
        }),
        async close() {
          try {
            for (const each of [read, write, writeLeases]) await each.destroy();
            await readers.close();
          } finally {
            // Kysely leaves a connection open that it never used, and its log behind with it.
            closeAll();
          }
        },
      });
    });
  } catch (fault) {
    closeAll();
    throw fault;
  }
}

/** Reads the number of the last migration. */
function readSchema(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

/** Makes a folder and those above it; Node's own recursive way never returns on a broken path. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (fault) {
    // Another process may have been faster.
    if (!existsSync(path)) throw fault;
  }
}

function openConnection(path: string, busyTimeoutMs: number): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs });
  addFunctions(database);
  database.pragma("foreign_keys = ON");
  database.pragma(`cache_size = -${CACHE_KIB}`);
  return database;
}

/** How many statements a connection keeps: filters make as many as there are shapes of them. */
const KEPT_STATEMENTS = 500;

/** Gives Kysely a connection that prepares each statement once and names failures as the store does. */
function prepared(database: Database.Database): SqliteDatabase {
  /** In the order of use, the longest unused first. */
  const statements = new Map<string, Database.Statement>();
  return {
    close: () => database.close(),
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = translateErrors(() => database.prepare(sql));
        for (const oldest of statements.keys()) {
          if (statements.size < KEPT_STATEMENTS) break;
          statements.delete(oldest);
        }
      } else {
        statements.delete(sql);
      }
      statements.set(sql, statement);
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
