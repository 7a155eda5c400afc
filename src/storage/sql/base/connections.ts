import type { Changes } from "../../contract/store.ts";
import type { WriteScope } from "../../contract/write-scope.ts";
import type { Db, Tx } from "../../db/db.ts";
import type { Collection } from "../content/index/collections.ts";
import type { LookupMemo } from "../content/index/lookup-memo.ts";
import type { Dialect } from "./dialect.ts";

/** The connections of an engine, or of one transaction. */
export interface Connections {
  /** Sees committed data or, in a transaction, its writes too. */
  readonly read: Db;
  /** The transaction that runs everything; absent: each write has its own. */
  readonly tx?: Tx;
  /** Runs a transaction with its scope locked, perhaps committed together with concurrent ones. */
  readonly write: WriteIn;
  /** Writes only leases and counts of requests. */
  readonly leases: Db;
  readonly dialect: Dialect;
  readonly changes: Changes;
  /** Caches the collections of content; absent in a transaction, which also reads what may be rolled back. */
  readonly collections?: Pick<LookupMemo<Collection>, "find">;
  /** Absent if the engine needs no bulk mode. */
  readonly bulk?: BulkMode;
  /** Absent if the engine does not know whether a process has ended. */
  readonly senders?: RunSenders;
}

/** The processes that send runs of a database. */
export interface RunSenders {
  /** The id of this process; empty before it has joined. */
  readonly id: string;
  /** Makes this process one of them until it ends. */
  join(): void;
  /** Calls `release` with the id of each process that has ended, once unless it fails. */
  forEnded(release: (id: string) => Promise<void>): Promise<void>;
}

/** Runs one write transaction with its scope locked. */
export type WriteIn = <T>(scope: WriteScope, run: (tx: Tx) => Promise<T>) => Promise<T>;

/** Returns connections that run everything inside a transaction. */
export function inside(
  { dialect, changes }: Pick<Connections, "changes" | "dialect">,
  tx: Tx,
): Connections {
  const write: WriteIn = (_, run) => tx.transaction(run);
  return { read: tx, tx, write, leases: tx, dialect, changes };
}

/** A store over the connections of an engine or of one transaction. */
export abstract class ConnectedStore {
  protected readonly connections: Connections;
  protected readonly read: Db;

  constructor(connections: Connections) {
    this.connections = connections;
    this.read = connections.read;
  }
}

/** A store of the resources of one organization. */
export abstract class OrganizationPart extends ConnectedStore {
  protected readonly organizationId: string;

  constructor(connections: Connections, organizationId: string) {
    super(connections);
    this.organizationId = organizationId;
  }
}

/** Tunes an engine for writing very many rows in one transaction. */
export interface BulkMode {
  /** Drops indexes of content and its parts, if few items are stored; the returned function creates them. */
  suspendIndexes(tx: Tx): Promise<() => Promise<void>>;
  /** Runs statements that sort very many rows. */
  sorting<T>(tx: Tx, run: () => Promise<T>): Promise<T>;
}
