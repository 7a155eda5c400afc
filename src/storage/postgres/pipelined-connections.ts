import type pg from "pg";
import type { QueryResult } from "pg";
import { ConnectionPool, type PoolState } from "../connection-pool.ts";
import { type ClientSettings, READ_TIMEOUT_MS } from "./client-settings.ts";
import { isConnectionError, isStale, translateError } from "./errors.ts";
import { ServerDelay } from "./server-delay.ts";
import { createStatementNames, type StatementNames } from "./statement-names.ts";
import { toValues } from "./values.ts";

/** A result, with the time in milliseconds for which its statement waited behind others on the connection. */
export type QueuedResult = QueryResult & { readonly queued: number };

/** Runs statements outside of transactions. */
export interface StatementRunner {
  run(text: string, parameters: readonly unknown[]): Promise<QueuedResult>;
  close(): Promise<void>;
}

/** An open connection with its statements. */
interface Open {
  readonly client: pg.Client;
  readonly names: StatementNames;
}

/** Options of a pipelined connection. */
export interface PipelineOptions {
  /** The time for a statement, in milliseconds, after which the connection is given up. */
  readonly timeoutMs?: number;
  /** The time for connecting, in milliseconds. */
  readonly connectTimeoutMs?: number;
}

/**
 * A connection that several callers use at once: each statement is sent without waiting for the results of those
 * before it. Opened on first use, and again after it was lost.
 */
export class PipelinedConnection implements StatementRunner {
  readonly #settings: ClientSettings;
  readonly #options: PipelineOptions;
  #open: Promise<Open> | undefined;
  #isClosed = false;
  #waiting = 0;
  /** When the last statement ended; results come in the order of the statements. */
  #ended = 0;

  constructor(settings: ClientSettings, options: PipelineOptions = {}) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The number of statements without a result. */
  get waiting(): number {
    return this.#waiting;
  }

  async run(text: string, parameters: readonly unknown[]): Promise<QueuedResult> {
    try {
      return await this.#runOnce(text, parameters);
    } catch (fault) {
      if (!isStale(fault)) throw fault;
      return this.#runOnce(text, parameters);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#open?.catch(() => undefined);
    await open?.client.end();
  }

  async #runOnce(text: string, parameters: readonly unknown[]): Promise<QueuedResult> {
    const start = performance.now();
    this.#waiting += 1;
    this.#open ??= this.#connect();
    const open = this.#open;
    try {
      const { client, names } = await open;
      if (names.isFull && this.#open === open) this.#replace(client);
      const name = names.of(text);
      const query = { text, values: toValues(parameters), ...(name && { name }) };
      const result = await client.query(query);
      return Object.assign(result, { queued: Math.max(0, this.#ended - start) });
    } catch (fault) {
      if (this.#open === open && isConnectionError(fault)) this.#giveUp(open);
      throw translateError(fault);
    } finally {
      this.#waiting -= 1;
      this.#ended = performance.now();
    }
  }

  #connect(): Promise<Open> {
    if (this.#isClosed) throw new Error("the store is closed");
    const { timeoutMs = READ_TIMEOUT_MS, connectTimeoutMs } = this.#options;
    const client = new this.#settings.Client({
      ...this.#settings.toConfig(),
      pipeline: true,
      query_timeout: timeoutMs,
      ...(connectTimeoutMs !== undefined && { connectionTimeoutMillis: connectTimeoutMs }),
    });
    const names = createStatementNames(this.#settings.prepares);
    const open = client.connect().then(() => ({ client, names }));
    const forget = () => {
      if (this.#open === open) this.#open = undefined;
    };
    client.on("error", forget);
    client.on("end", forget);
    open.catch(forget);
    return open;
  }

  /** Lets the next statement open another connection, as the end of this one may be reported only later. */
  #giveUp(open: Promise<Open>): void {
    this.#open = undefined;
    open.then(({ client }) => client.end()).catch(() => {});
  }

  /** Ends a connection after the statements that it was given; the next statement opens another. */
  #replace(client: pg.Client): void {
    this.#open = undefined;
    // After the caller has sent its own.
    setImmediate(() => void client.end().catch(() => {}));
  }
}

/** Measures the delay of a server by a connection on which nothing takes long. */
export function measureDelay(connection: StatementRunner): ServerDelay {
  return new ServerDelay(() => connection.run("select", []));
}

/** Shares several connections, as a slow statement delays those behind it. */
export class PipelinedConnections implements StatementRunner {
  readonly pool = new ConnectionPool("read", () => this.#readState());
  readonly #connections: readonly PipelinedConnection[];

  constructor(settings: ClientSettings, count: number) {
    this.#connections = Array.from({ length: count }, () => new PipelinedConnection(settings));
  }

  async run(text: string, parameters: readonly unknown[]): Promise<QueuedResult> {
    const start = performance.now();
    try {
      return await this.#least().run(text, parameters);
    } finally {
      this.pool.count(text, start);
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) await connection.close();
  }

  /** Returns the state of the connections, on which a statement waits behind others. */
  #readState(): PoolState {
    const inUse = this.#connections.filter(({ waiting }) => waiting > 0).length;
    const statements = this.#connections.reduce((sum, { waiting }) => sum + waiting, 0);
    return { inUse, idle: this.#connections.length - inUse, waiting: statements - inUse };
  }

  #least(): PipelinedConnection {
    const [first, ...others] = this.#connections as [PipelinedConnection, ...PipelinedConnection[]];
    return others.reduce((least, it) => (it.waiting < least.waiting ? it : least), first);
  }
}
