import { type DatabaseConnection, SqliteAdapter, SqliteDriver } from "kysely";
import type { PoolState } from "../connection-pool.ts";

/** The users of one connection, who take turns in the order in which they ask for it. */
export class ConnectionQueue {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** True while somebody uses the connection, perhaps for a transaction. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  get state(): PoolState {
    const inUse = this.#isTaken ? 1 : 0;
    return { inUse, idle: 1 - inUse, waiting: this.#waiting.length, most: 1 };
  }

  /** Takes the connection; returns a promise if it has to be waited for. */
  take(): Promise<void> | undefined {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    return undefined;
  }

  /** Gives the connection to the next user. */
  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}

/** Lets the driver queue its users, instead of Kysely, which does not tell how many wait. */
export class QueueingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** A driver of one connection whose users take turns. */
export class SingleConnectionDriver extends SqliteDriver {
  readonly #queue: ConnectionQueue;

  constructor(config: ConstructorParameters<typeof SqliteDriver>[0], queue: ConnectionQueue) {
    super(config);
    this.#queue = queue;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#queue.take();
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#queue.give();
  }
}
