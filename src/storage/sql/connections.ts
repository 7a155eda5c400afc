import type { Kysely, Transaction } from "kysely";
import type { Store } from "../store.ts";
import type { WriteScope } from "../write-scope.ts";
import type { createBulkInsert } from "./bulk-insert.ts";
import type { Dialect } from "./dialect.ts";
import type { Schema } from "./schema.ts";

/** The connections of an engine: `read` sees snapshots, `write` runs one transaction at a time. */
export interface Connections {
  readonly read: Kysely<Schema>;
  readonly write: Kysely<Schema>;
  /** Runs a transaction of a scope, perhaps committed with others of the moment; absent: `write` commits each. */
  readonly writeIn?: WriteIn;
  /** Writes only leases; absent if they are in the main database. */
  readonly leases?: Kysely<Schema>;
  readonly dialect: Dialect;
  readonly changes: Changes;
  /** Absent if the engine needs no bulk mode. */
  readonly bulk?: BulkMode;
}

/** Runs one write transaction with its scope locked. */
export type WriteIn = <T>(
  scope: WriteScope,
  run: (tx: Transaction<Schema>) => Promise<T>,
) => Promise<T>;

/** Returns connections that run everything inside a transaction. */
export function inside({ dialect, changes }: Connections, tx: Transaction<Schema>): Connections {
  return { read: tx, write: tx, dialect, changes };
}

/** The change tracking of an engine, of its own changes and those of others. */
export type Changes = Pick<Store, "accessVersion" | "catchUp" | "knownRevision">;

/** Tunes an engine for writing very many rows in one transaction. */
export interface BulkMode {
  /** Drops indexes of content and of what belongs to it, of which few items are stored. */
  suspendIndexes(tx: Transaction<Schema>): Promise<SuspendedIndexes>;
  /** Creates an insert of an import; absent: that of the dialect. */
  readonly insert?: typeof createBulkInsert;
  /** Runs statements that sort very many rows. */
  sorting<T>(tx: Transaction<Schema>, run: () => Promise<T>): Promise<T>;
}

/** Indexes that are dropped while an import writes. */
export interface SuspendedIndexes {
  /** Recreates those that find the rows of an item … */
  resumeItems(): Promise<void>;
  /** … and then the others. */
  resume(): Promise<void>;
}
