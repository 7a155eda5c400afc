import type { Kysely, Transaction } from "kysely";
import type { Store } from "../store.ts";
import type { Dialect } from "./dialect.ts";
import type { Schema } from "./schema.ts";

/** The connections of an engine: `read` sees snapshots, `write` takes one transaction at a time. */
export interface Connections {
  readonly read: Kysely<Schema>;
  readonly write: Kysely<Schema>;
  /** Writes leases, and nothing else; absent: they lie where the rest does. */
  readonly leases?: Kysely<Schema>;
  readonly dialect: Dialect;
  readonly changes: Changes;
  /** Absent: the engine needs nothing special. */
  readonly bulk?: BulkMode;
}

/** Gives the connections of what runs inside a transaction. */
export function inside({ dialect, changes }: Connections, tx: Transaction<Schema>): Connections {
  return { read: tx, write: tx, dialect, changes };
}

/** What an engine knows of changes, its own and those of others. */
export type Changes = Pick<Store, "accessVersion" | "knownRevision">;

/** What an engine does around the writing of very many rows in one transaction. */
export interface BulkMode {
  /** Drops the secondary indexes of a table with few rows; the answer makes them again. */
  suspendIndexes(tx: Transaction<Schema>, table: keyof Schema): Promise<() => Promise<void>>;
  /** Runs statements that sort very many rows. */
  sorting<T>(tx: Transaction<Schema>, run: () => Promise<T>): Promise<T>;
}
