import type pg from "pg";
import type { QueryResult } from "pg";
import { ConnectionPool, type PoolState } from "../connection-pool.ts";
import type { Reader } from "../sql/counted.ts";
import { type ClientSettings, READ_TIMEOUT_MS } from "./client-settings.ts";
import { isCancelled, isConnectionError, isStale, translateError } from "./errors.ts";
import { ServerDelay } from "./server-delay.ts";
import { createStatementNames, type StatementNames } from "./statement-names.ts";
import { toValues } from "./values.ts";

/** A result, with the time in milliseconds for which its statement waited behind others on the connection. */
export type QueuedResult = QueryResult & { readonly queued: number };

/** Runs statements outside of transactions. */
export interface StatementRunner {
  run(text: string, parameters: readonly unknown[], reader?: Reader): Promise<QueuedResult>;
  close(): Promise<void>;
}

/** An open connection with its statements. */
interface Open {
  readonly client: pg.Client;
  readonly names: StatementNames;
  /** The number of its process of the server; undefined: its statements cannot be cancelled. */
  readonly pid: number | undefined;
  /** The statements without a result, in their order; the server runs the first one. */
  readonly sent: Sent[];
}

/** A statement that was sent. */
interface Sent {
  /** Aborted when nobody waits for its result. */
  readonly signal: AbortSignal | undefined;
  isCancelled: boolean;
}

/** Options of a pipelined connection. */
export interface PipelineOptions {
  /** The time for a statement, in milliseconds, after which the connection is given up. */
  readonly timeoutMs?: number;
  /** The time for connecting, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Cancels the statement that a process of the server runs; absent: nothing is cancelled. */
  readonly cancel?: (pid: number) => Promise<unknown>;
}

/** Selects the number of the process of the server. */
const SELECT_PID = "select pg_backend_pid() as pid";

/** The server ends a statement after so much of the time for which its connection is not given up. */
const STATEMENT_SHARE = 0.8;

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
  #opened = 0;
  /** When the last statement ended; results come in the order of the statements. */
  #ended = 0;
  /** The statements that ended before they were cancelled, so that one behind them may be hit. */
  #missed = 0;

  constructor(settings: ClientSettings, options: PipelineOptions = {}) {
    this.#settings = settings;
    this.#options = options;
  }

  /** The number of connections that it has opened, one after the other. */
  get opened(): number {
    return this.#opened;
  }

  /** The number of statements without a result. */
  get waiting(): number {
    return this.#waiting;
  }

  async run(text: string, parameters: readonly unknown[], reader?: Reader): Promise<QueuedResult> {
    const { signal } = reader ?? {};
    try {
      return await this.#runOnce(text, parameters, signal);
    } catch (fault) {
      const isHit = this.#missed > 0 && !signal?.aborted && isCancelled(fault);
      if (isHit) this.#missed -= 1;
      if (!isHit && !isStale(fault)) throw fault;
      return this.#runOnce(text, parameters, signal);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const open = await this.#open?.catch(() => undefined);
    await open?.client.end();
  }

  async #runOnce(
    text: string,
    parameters: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<QueuedResult> {
    const start = performance.now();
    this.#waiting += 1;
    this.#open ??= this.#connect();
    const open = this.#open;
    try {
      const { client, names } = await open;
      if (names.isFull && this.#open === open) this.#replace(client);
      const name = names.of(text);
      const query = { text, values: toValues(parameters), ...(name && { name }) };
      const result = await this.#send(await open, query, signal);
      return Object.assign(result, { queued: Math.max(0, this.#ended - start) });
    } catch (fault) {
      if (this.#open === open && isConnectionError(fault)) this.#giveUp(open);
      throw translateError(fault);
    } finally {
      this.#waiting -= 1;
      this.#ended = performance.now();
    }
  }

  /** Sends a statement, which is cancelled if it runs while nobody waits for it. */
  async #send(
    { client, pid, sent }: Open,
    query: pg.QueryConfig,
    signal: AbortSignal | undefined,
  ): Promise<QueryResult> {
    const own: Sent = { signal, isCancelled: false };
    const cancelAbandoned = () => {
      const [first] = sent;
      if (pid === undefined || !first?.signal?.aborted || first.isCancelled) return;
      first.isCancelled = true;
      this.#options.cancel?.(pid).catch(() => {});
    };
    sent.push(own);
    signal?.addEventListener("abort", cancelAbandoned);
    let isHit = false;
    try {
      return await client.query(query);
    } catch (fault) {
      isHit = isCancelled(fault);
      throw fault;
    } finally {
      signal?.removeEventListener("abort", cancelAbandoned);
      sent.splice(sent.indexOf(own), 1);
      if (own.isCancelled && !isHit) this.#missed += 1;
      cancelAbandoned();
    }
  }

  #connect(): Promise<Open> {
    if (this.#isClosed) throw new Error("the store is closed");
    this.#opened += 1;
    const { timeoutMs = READ_TIMEOUT_MS, connectTimeoutMs, cancel } = this.#options;
    const session = { statement_timeout: String(timeoutMs * STATEMENT_SHARE) };
    const client = new this.#settings.Client({
      ...this.#settings.toConfig(session),
      pipeline: true,
      query_timeout: timeoutMs,
      ...(connectTimeoutMs !== undefined && { connectionTimeoutMillis: connectTimeoutMs }),
    });
    const names = createStatementNames(this.#settings.prepares);
    const open = client.connect().then(async (): Promise<Open> => {
      // Behind a pooler the next statement may run in another process.
      const mayCancel = cancel !== undefined && this.#settings.prepares;
      const { rows } = mayCancel ? await client.query(SELECT_PID) : { rows: [] };
      return { client, names, pid: rows[0]?.pid, sent: [] };
    });
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

/** Shares several connections, as a slow statement delays those behind it; long reads have connections of their own. */
export class PipelinedConnections implements StatementRunner {
  readonly pool = new ConnectionPool("read", () => this.#readState());
  readonly #short: readonly PipelinedConnection[];
  readonly #long: readonly PipelinedConnection[];

  constructor(
    settings: ClientSettings,
    {
      short,
      long,
      ...options
    }: PipelineOptions & { readonly short: number; readonly long: number },
  ) {
    const open = () => new PipelinedConnection(settings, options);
    this.#short = Array.from({ length: short }, open);
    this.#long = Array.from({ length: long }, open);
  }

  async run(text: string, parameters: readonly unknown[], reader?: Reader): Promise<QueuedResult> {
    const start = performance.now();
    try {
      const connections = reader?.isLong ? this.#long : this.#short;
      return await findLeast(connections).run(text, parameters, reader);
    } finally {
      this.pool.count(text, start);
    }
  }

  async close(): Promise<void> {
    for (const connection of this.#all) await connection.close();
  }

  get #all(): readonly PipelinedConnection[] {
    return [...this.#short, ...this.#long];
  }

  /** Returns the state of the connections, on which a statement waits behind others. */
  #readState(): PoolState {
    const inUse = this.#all.filter(({ waiting }) => waiting > 0).length;
    const statements = this.#all.reduce((sum, { waiting }) => sum + waiting, 0);
    const most = this.#all.length;
    return { inUse, idle: most - inUse, waiting: statements - inUse, most };
  }
}

/** Returns the connection on which the fewest statements wait. */
function findLeast(connections: readonly PipelinedConnection[]): PipelinedConnection {
  const [first, ...others] = connections as [PipelinedConnection, ...PipelinedConnection[]];
  return others.reduce((least, it) => (it.waiting < least.waiting ? it : least), first);
}
