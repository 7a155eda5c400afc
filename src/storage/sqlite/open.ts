import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { Kysely } from "kysely";
import { ConnectionPool, type StateLog } from "../connection-pool.ts";
import { missingDatabase } from "../migrations/check-migration.ts";
import { createGroupCommit } from "../sql/group-commit.ts";
import { isShort } from "../sql/in-transaction.ts";
import { runDirectly } from "../sql/run-now.ts";
import type { Schema } from "../sql/schema.ts";
import { createSqlStore } from "../sql/store.ts";
import { WaitingWrites } from "../sql/waiting-writes.ts";
import type { Store } from "../store.ts";
import { createBulkMode, takeAlone } from "./bulk-mode.ts";
import { watchChanges } from "./change-watch.ts";
import { checkOwner, noDatabase } from "./check-database.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import { isNoDatabase, translateErrors } from "./errors.ts";
import { type DatabaseKind, migrate } from "./migrate.ts";
import { prepareOnce } from "./prepared-statements.ts";
import { runSync } from "./run-sync.ts";
import { ConnectionQueue } from "./single-connection.ts";
import { createSnapshotReaders } from "./snapshot-readers.ts";
import { StablePlanDialect } from "./stable-plan-dialect.ts";
import { OpenTransaction, WriterDialect } from "./writer-dialect.ts";

/** The default time that a writer waits for another process's transaction, in milliseconds. */
export const BUSY_TIMEOUT_MS = 5_000;

/** The suffix of the leases file. */
export const LEASES_SUFFIX = "-leases";

/**
 * The page cache of each connection, in KiB. Other pages are in the cache of the operating system, from which
 * a read takes about as long. The file is not mapped into memory: its pages would count as the process's.
 */
const CACHE_KIB = 8_192;

/** The page cache of the connection of a bulk load, which changes pages in any order. */
export const BULK_CACHE_KIB = 65_536;

/** Options of a store over a database file. */
export interface SqliteOptions {
  /** The time a writer waits for another process's transaction, in milliseconds; default: 5,000. */
  readonly busyTimeoutMs?: number;
  /** `OFF`: a crash of the machine may lose or corrupt content; default: `FULL`. */
  readonly synchronous?: "FULL" | "OFF";
  /**
   * True for a bulk load, which takes more memory to write, and has a database with few items to itself if nothing
   * else has it open; default: false.
   */
  readonly isBulk?: boolean;
  /** True to refuse a missing or empty file with `DATABASE_MISSING`; default: false, which creates the database. */
  readonly mustExist?: boolean;
  /** Receives migrations; default: nobody. */
  readonly log?: StateLog | undefined;
}

/**
 * Opens a database file, created if missing, and applies missing migrations. Throws a DomainError UNAVAILABLE
 * if the file cannot be opened, and FAILED_PRECONDITION `NO_DATABASE` or `NO_MARQUEE_DATABASE` for a file of another
 * program, which stays as it is.
 *
 * One connection writes, one reads, one watches for changes, and each concurrent snapshot has its own.
 * `synchronous=FULL` in WAL mode: a committed write survives a crash of the process and of the machine.
 *
 * Leases are in a separate file, `<path>-leases`: players renew them constantly, which must not wait for an
 * import or the disk, nor move the version of the content.
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
    // Readable only by its owner, as it holds keys. SQLite creates its other files with the same mode.
    closeSync(openSync(file, "a", 0o600));
    const writer = open(file);
    if (kind === "content") checkOwner(writer);
    writer.pragma("journal_mode = WAL");
    writer.pragma(`synchronous = ${sync}`);
    migrate(writer, kind, log);
    // Every write is a transaction, and those wait for their lock in the dialect.
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
      const reads = new ConnectionQueue();
      const openReader = (pool: ConnectionPool, queue = new ConnectionQueue()) => {
        const reader = open();
        reader.pragma("query_only = ON");
        const database = prepareOnce(reader, pool);
        const read = new Kysely<Schema>({ dialect: new StablePlanDialect({ database, queue }) });
        // In another's transaction a query would not see later writes.
        runDirectly(read, (query) => (queue.isTaken ? undefined : runSync(database, query)));
        return read;
      };
      const readPool = new ConnectionPool("read", () => reads.state);
      const snapshotPool = new ConnectionPool("snapshot", () => readers.state);
      const read = openReader(readPool, reads);
      const readers = createSnapshotReaders(() => openReader(snapshotPool));
      const watcher = open();
      const { bump, ...changes } = watchChanges(watcher);
      const leases = openWriter(`${path}${LEASES_SUFFIX}`, "leases", "NORMAL");
      const waitingWrites = new WaitingWrites();
      const toKysely = (connection: Database.Database, name: string, onCommit: () => void) => {
        const transaction = new OpenTransaction(connection);
        const queue = new ConnectionQueue();
        const pool = new ConnectionPool(name, () =>
          connection === writer ? { ...queue.state, waiting: waitingWrites.count } : queue.state,
        );
        const database = prepareOnce(connection, pool, () => transaction.check());
        const options = { database, queue, transaction, busyTimeoutMs, onCommit };
        return { database, pool, db: new Kysely<Schema>({ dialect: new WriterDialect(options) }) };
      };
      const { database: main, pool: writePool, db: write } = toKysely(writer, "write", bump);
      const { pool: leasePool, db: writeLeases } = toKysely(leases, "leases", () => {});
      const commitShort = createGroupCommit({
        write,
        direct: (query) => (writer.inTransaction ? runSync(main, query) : undefined),
      });
      return createSqlStore({
        read,
        write,
        writeIn: waitingWrites.over((scope, run) =>
          isShort(scope) ? commitShort(run) : write.transaction().execute(run),
        ),
        leases: writeLeases,
        pools: [readPool, snapshotPool, writePool, leasePool],
        dialect: SQLITE_DIALECT,
        changes,
        bulk: createBulkMode(writeCacheKib),
        // Every transaction sees all that was committed before it began.
        snapshot: (_, run) => readers.run(run),
        // Bypasses the queue of reads, as load does not affect readiness.
        readiness: async () => ({
          schema: translateErrors(() => readSchema(watcher)),
          primary: true,
        }),
        async close() {
          try {
            for (const each of [read, write, writeLeases]) await each.destroy();
            await readers.close();
          } finally {
            // Kysely leaves an unused connection open, and its log on disk.
            closeAll();
          }
        },
      });
    });
  } catch (fault) {
    closeAll();
    throw isNoDatabase(fault) ? noDatabase(path) : fault;
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
  } catch (fault) {
    // Another process may have created it.
    if (!existsSync(path)) throw fault;
  }
}

function openConnection(path: string, busyTimeoutMs: number): Database.Database {
  const database = new Database(path, { timeout: busyTimeoutMs });
  database.pragma("foreign_keys = ON");
  limitCache(database, CACHE_KIB);
  return database;
}

function limitCache(database: Database.Database, kib: number): void {
  database.pragma(`cache_size = -${kib}`);
}
