import { setTimeout as setDelay } from "node:timers/promises";
import { sql } from "kysely";
import type pg from "pg";
import { DatabaseSetupError } from "../../domain/base/errors.ts";
import type { StateLog } from "../contract/connection-pool.ts";
import type { Store } from "../contract/store.ts";
import { WriteWatch } from "../sql/base/write-watch.ts";
import { SqlStore } from "../sql/store.ts";
import { PostgresBulkMode } from "./bulk-mode.ts";
import { ChangeWatch, OWN_CHANGES, readDatabaseId } from "./change-watch.ts";
import {
  BEGIN_WRITE,
  type ClientSettings,
  findMissingSettings,
  type PostgresLocation,
  readSettings,
} from "./client-settings.ts";
import { POSTGRES_DIALECT } from "./dialect.ts";
import { findWriteFailure } from "./errors.ts";
import { migrate, SELECT_SCHEMA } from "./migrate.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { PostgresReads } from "./postgres-reads.ts";
import { Replicas } from "./replicas.ts";
import { WriteTurns } from "./write-turns.ts";

/** Maximum numbers of concurrent transactions: for writes and for leases. */
const MOST_WRITES = 10;
const MOST_CLAIMS = 4;

/** The time limit for the server's reply at startup, in milliseconds. */
const READINESS_TIMEOUT_MS = 2_000;

/** How long the start waits for the primary while replicas are available, in milliseconds. */
const REPLICA_READY_MS = 1_000;

/** Options of a store. */
export interface PostgresOptions {
  /** The replicas for reads of the Delivery API; default: none. */
  readonly replicas?: readonly PostgresLocation[];
  /** True for an import, which may drop indexes until it ends if nothing else is connected; default: false. */
  readonly isBulk?: boolean;
  /** True to reject a database without the tables of Marquee with `DATABASE_MISSING`; default: false. */
  readonly mustExist?: boolean;
  /** Receives migrations, and each loss and return of writes, the primary or a replica; default: not logged. */
  readonly log?: StateLog | undefined;
  /** The class of its connections to the primary; default: pg's client. */
  readonly Client?: typeof pg.Client;
}

/** Selects the bytes of each table with its indexes and large values, which the server knows from its files. */
const SELECT_TABLE_SIZES = sql<{ readonly name: string; readonly bytes: number }>`
  select relname as name, pg_total_relation_size(oid) as bytes
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
`;

/**
 * Opens a database and applies missing migrations. Throws the errors of {@link migrate}, and a DomainError
 * UNAVAILABLE if the server does not reply.
 *
 * Reads share a few connections; each transaction has its own. Changes and readiness have a separate connection, so
 * that load cannot delay them.
 */
export async function openPostgresStore(
  location: PostgresLocation,
  {
    Client,
    replicas: locations = [],
    isBulk = false,
    mustExist = false,
    log,
  }: PostgresOptions = {},
): Promise<Store> {
  const settings = readSettings(location, Client);
  const watched = new PostgresPool(settings, {
    name: "watch",
    most: 1,
    timeouts: {
      connect: READINESS_TIMEOUT_MS,
      wait: READINESS_TIMEOUT_MS,
      statement: READINESS_TIMEOUT_MS,
    },
    keepsIdle: true,
  });
  const changes = await migrateAndWatch(settings, watched, { mustExist, log });
  const replicas =
    locations.length === 0
      ? undefined
      : await Replicas.open(locations, { changes, databaseId: await readDatabaseId(watched), log });
  let schema = await readSchema(watched);
  const read = new PostgresReads(settings, {
    cancel: (pid) => watched.query("select pg_cancel_backend($1)", [pid]),
    onRejected: (error) => writes.note(error),
  });
  const write = new PostgresPool(settings, {
    name: "write",
    begin: BEGIN_WRITE,
    onCommit: { text: OWN_CHANGES, take: (rows) => changes.note(rows) },
    most: MOST_WRITES,
    takesTurns: true,
    countWaiting: () => writes.waiting,
  });
  const leases = new PostgresPool(settings, {
    name: "leases",
    begin: BEGIN_WRITE,
    most: MOST_CLAIMS,
    takesTurns: true,
    // A lease lasts for about a minute: a crash of the server may lose the newest.
    session: { synchronous_commit: "off" },
  });
  const writes: WriteWatch = new WriteWatch(new WriteTurns(write), {
    findCause: findWriteFailure,
    connect: () => connectOnce(settings),
    log,
  });
  const store = new SqlStore({
    read,
    write: writes.write,
    leases: writes.over(leases),
    pools: [read.queries, read.snapshots.metrics, write.metrics, leases.metrics],
    dialect: POSTGRES_DIALECT,
    changes,
    bulk: new PostgresBulkMode(isBulk ? () => findProcess(watched) : undefined),
    async readiness() {
      const asking = readSchema(watched);
      if (replicas === undefined) {
        return { schema: await asking, primary: true, writable: writes.isWritable };
      }
      const found = await (replicas.state === "unavailable" ? asking : waitBriefly(asking));
      schema = found ?? schema;
      const primary = found !== undefined;
      return { schema, primary, writable: writes.isWritable, replica: replicas.state };
    },
    async measureTables() {
      const rows = await read.all(SELECT_TABLE_SIZES);
      return new Map(rows.map(({ name, bytes }) => [name, bytes]));
    },
    async close() {
      writes.close();
      changes.close();
      await replicas?.close();
      for (const pool of [read, write, leases, watched]) await pool.close();
    },
  });
  if (replicas === undefined) return store;
  return Object.assign(store, {
    delivery: replicas.over(store),
    listReplicas: () => replicas.list(),
  });
}

/** Opens a connection and closes it. */
async function connectOnce(settings: ClientSettings): Promise<void> {
  const pool = new PostgresPool(settings, { name: "probe", most: 1 });
  try {
    await pool.query("select");
  } finally {
    await pool.close();
  }
}

/** Reads the number of the last applied migration. */
async function readSchema(connection: PostgresPool): Promise<number> {
  const { rows } = await connection.query(SELECT_SCHEMA);
  return rows[0].number;
}

/** Waits for a reply of the primary; without one, undefined while a replica serves reads. */
function waitBriefly<T>(asking: Promise<T>): Promise<T | undefined> {
  const waiting = setDelay(REPLICA_READY_MS, undefined, { ref: false });
  return Promise.race([asking, waiting]).catch(() => undefined);
}

/** Finds the number of the server's process for a connection. */
async function findProcess(connection: PostgresPool): Promise<number> {
  const { rows } = await connection.query("select pg_backend_pid() as pid");
  return rows[0].pid;
}

async function migrateAndWatch(
  settings: ClientSettings,
  watched: PostgresPool,
  options: Pick<PostgresOptions, "log" | "mustExist">,
): Promise<ChangeWatch> {
  let changes: ChangeWatch | undefined;
  try {
    await migrate(settings, watched, options);
    await checkSettings(settings, watched, options.log);
    changes = await ChangeWatch.open(watched, options.log);
    // A process of a newer release may have migrated it before it could see that this one is connected.
    await migrate(settings, watched, options);
    return changes;
  } catch (error) {
    changes?.close();
    await watched.close();
    throw error;
  }
}

/** Checks that a pooler does not drop the settings of sessions. Behind one they are the user's, and reported if they are missing. */
async function checkSettings(
  { prepares }: ClientSettings,
  watched: PostgresPool,
  log: StateLog | undefined,
): Promise<void> {
  const settings = await findMissingSettings(watched);
  if (settings.length === 0) return;
  if (prepares) {
    throw new DatabaseSetupError(
      "a pooler drops the settings of sessions: add prepare=false to the database's connection string, and set them for its user",
    );
  }
  log?.warn({ settings }, "settings of the database's user are missing, reads may be slow");
}
