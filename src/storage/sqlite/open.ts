import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { DomainError } from "../../domain/base/errors.ts";
import type { StateLog } from "../contract/connection-pool.ts";
import type { Store } from "../contract/store.ts";
import { missingDatabase, STOP_FIRST } from "../migrations/check-migration.ts";
import { WriteWatch } from "../sql/base/write-watch.ts";
import { SqlStore } from "../sql/store.ts";
import { SqliteBulkMode, takeAlone } from "./bulk-mode.ts";
import { ChangeWatch } from "./change-watch.ts";
import { checkOwner, noDatabase } from "./check-database.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import { findWriteFailure, isBusy, isNoDatabase, translateErrors } from "./errors.ts";
import { lockDatabase } from "./lock-database.ts";
import { checkMigration, type DatabaseKind, migrate } from "./migrate.ts";
import { SqliteRunSenders } from "./run-senders.ts";
import { SqliteReader } from "./sqlite-db.ts";
import { SqliteWriter } from "./sqlite-writer.ts";
import { TableSizes } from "./table-sizes.ts";

/** The default time that a writer waits for another process's transaction, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;

/** The suffix of the leases file. */
export const LEASES_SUFFIX = "-leases";

/**
 * The page cache of each connection, in KiB. The operating system caches other pages, and reading them there takes
 * about as long. The file is not mapped into memory: its pages would count as memory of the process.
 */
const CACHE_KIB = 8_192;

/** The page cache of the connection of a bulk load, which changes pages in any order. */
export const BULK_CACHE_KIB = 65_536;

/** The suffix that is added to the name of a leases file of another release. */
const SET_ASIDE = ".set-aside";

/** Options of a store over a database file. */
export interface SqliteOptions {
  /** The time a writer waits for another process's transaction, in milliseconds; default: 5,000. */
  readonly busyTimeoutMs?: number;
  /** `OFF`: a crash of the machine may lose or corrupt content; default: `FULL`. */
  readonly synchronous?: "FULL" | "OFF";
  /**
   * True for a bulk load, which takes more memory to write. A database with few items is then exclusive to it, if
   * nothing else has it open. Default: false.
   */
  readonly isBulk?: boolean;
  /** True to reject a missing or empty file with `DATABASE_MISSING`; default: false, which creates the database. */
  readonly mustExist?: boolean;
  /** Receives migrations, and each loss and return of writes; default: not logged. */
  readonly log?: StateLog | undefined;
}

/**
 * Opens a database file, created if missing, and applies missing migrations. Throws a DomainError UNAVAILABLE if the
 * file cannot be opened, and FAILED_PRECONDITION `NO_DATABASE` or `NO_MARQUEE_DATABASE` for a file of another
 * program, which stays unchanged.
 *
 * One connection writes, one reads, one watches for changes, and each concurrent snapshot has its own.
 * `synchronous=FULL` in WAL mode: a committed write survives a crash of the process and of the machine.
 *
 * Leases are in a separate file, `<path>-leases`: players renew them constantly. A renewal must not wait for an
 * import or the disk, nor change the version of the content. They last for minutes: a file that another release wrote and
 * this one cannot migrate becomes `<path>-leases.set-aside`, and a new one begins.
 */
export function openSqliteStore(
  path: string,
  {
    busyTimeoutMs = BUSY_TIMEOUT_MS,
    synchronous = "FULL",
    isBulk = false,
    mustExist = false,
    log,
  }: SqliteOptions = {},
): Store {
  const opened: Database.Database[] = [];
  const open = (file: string = path) => {
    const database = openConnection(file, busyTimeoutMs);
    opened.push(database);
    return database;
  };
  const openWriter = (file: string, kind: DatabaseKind, sync: string) => {
    if (kind === "leases") setAsideLeases(file, busyTimeoutMs, log);
    createFile(file);
    const writer = open(file);
    if (kind === "content") checkOwner(writer);
    enterWalMode(writer, busyTimeoutMs);
    writer.pragma(`synchronous = ${sync}`);
    migrate(writer, kind, {
      log,
      ...(kind === "content" && { lockOthers: () => lockLeases(path) }),
    });
    // Every write is a transaction, and transactions wait for their lock in the dialect.
    writer.pragma("busy_timeout = 0");
    return writer;
  };
  const closeAll = () => {
    for (const database of opened) database.close();
  };
  try {
    return translateErrors(() => {
      if (mustExist && !isFilled(path)) throw missingDatabase(`sqlite:${path}`);
      makeFolder(dirname(path));
      const writer = openWriter(path, "content", synchronous);
      if (isBulk) takeAlone(writer);
      const writeCacheKib = isBulk ? BULK_CACHE_KIB : CACHE_KIB;
      limitCache(writer, writeCacheKib);
      const read = new SqliteReader(() => {
        const reader = open();
        reader.pragma("query_only = ON");
        return reader;
      });
      const watcher = open();
      const changes = new ChangeWatch(watcher);
      const leases = new SqliteWriter(openWriter(`${path}${LEASES_SUFFIX}`, "leases", "NORMAL"), {
        name: "leases",
        busyTimeoutMs,
      });
      // A process of a newer release may have migrated the content before it could see that this one has the leases open.
      checkMigration(writer, "content");
      const sizes = new TableSizes(path);
      const senders = new SqliteRunSenders(path);
      const write = new SqliteWriter(writer, {
        name: "write",
        busyTimeoutMs,
        changes,
        countWaiting: () => writes.waiting,
      });
      const writes: WriteWatch = new WriteWatch(write, {
        findCause: findWriteFailure,
        log,
      });
      return new SqlStore({
        read,
        write: writes.write,
        leases: writes.over(leases),
        pools: [read.queries, read.snapshots, write.pool, leases.pool],
        dialect: SQLITE_DIALECT,
        changes,
        bulk: new SqliteBulkMode(writeCacheKib),
        senders,
        readiness: async () => ({
          schema: translateErrors(() => readSchema(watcher)),
          primary: true,
          writable: writes.isWritable,
        }),
        measureTables: async () => sizes.read(),
        async close() {
          writes.close();
          await sizes.close();
          senders.close();
          closeAll();
        },
      });
    });
  } catch (error) {
    closeAll();
    throw isNoDatabase(error) ? noDatabase(path) : error;
  }
}

/** Creates a file, if missing, that only its owner can read, because it contains keys: SQLite's other files get its mode. */
function createFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
}

/**
 * Locks the leases of a database, which each process has open and no other program. FAILED_PRECONDITION `DATABASE_IN_USE` if
 * one runs, at once: its writes wait.
 */
function lockLeases(path: string): Database.Database | undefined {
  const leases = `${path}${LEASES_SUFFIX}`;
  createFile(leases);
  return lockDatabase(leases, `sqlite:${path}`, STOP_FIRST);
}

/** Runs a function again as long as a file is in use, for a time. */
function whileInUse<T>(timeoutMs: number, run: () => T): T {
  const end = performance.now() + timeoutMs;
  for (;;) {
    try {
      return run();
    } catch (error) {
      const isUsed = error instanceof DomainError && error.reason === "DATABASE_IN_USE";
      if (!(isUsed || isBusy(error)) || performance.now() >= end) throw error;
    }
  }
}

/**
 * Renames a leases file that this release cannot migrate, so that a new one begins. Processes that start together wait for
 * each other. FAILED_PRECONDITION `DATABASE_IN_USE` if a process of the other release has it open.
 */
function setAsideLeases(file: string, busyTimeoutMs: number, log: StateLog | undefined): void {
  whileInUse(busyTimeoutMs, () => {
    createFile(file);
    const { ino } = statSync(file);
    const cause = translateErrors(() => findMigrationError(file));
    if (cause === undefined) return;
    const lock = lockDatabase(file, file);
    // Another process may have renamed the locked file by now, and begun a new one.
    if (lock !== undefined && statSync(file).ino === ino) {
      const kept = `${file}${SET_ASIDE}`;
      renameSync(file, kept);
      log?.warn({ kept, cause: cause.message }, "leases of another release set aside");
    }
    lock?.close();
  });
}

/** Returns the error of the migrations of a leases file; undefined if this release can migrate it. */
function findMigrationError(file: string): DomainError | undefined {
  const database = new Database(file, { fileMustExist: true });
  try {
    checkMigration(database, "leases");
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    const isOther = error instanceof Database.SqliteError && error.code === "SQLITE_NOTADB";
    throw isOther ? noDatabase(file) : error;
  } finally {
    database.close();
  }
}

/** Reads the number of the last applied migration. */
function readSchema(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Creates a directory and its parents; Node's `recursive` option never returns on a broken path. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have created it.
    if (!existsSync(path)) throw error;
  }
}

function openConnection(path: string, busyTimeoutMs: number): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs });
  database.pragma("foreign_keys = ON");
  limitCache(database, CACHE_KIB);
  return database;
}

/** Switches a file to WAL mode. SQLite fails at once, with any timeout, if another connection is switching it too. */
function enterWalMode(database: Database.Database, busyTimeoutMs: number): void {
  whileInUse(busyTimeoutMs, () => {
    translateErrors(() => database.pragma("journal_mode = WAL"));
  });
}

function limitCache(database: Database.Database, kib: number): void {
  database.pragma(`cache_size = -${kib}`);
}
