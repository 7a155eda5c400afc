import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import pg from "pg";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ConnectionPool, type PoolState } from "../contract/connection-pool.ts";
import type { Db } from "../db/db.ts";
import { compile, type Query } from "../db/query.ts";
import {
  type ClientSettings,
  CONNECT_TIMEOUT_MS,
  POOL_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from "./client-settings.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { isConnectionError, isStale, translateError } from "./errors.ts";
import { PostgresTransaction } from "./postgres-transaction.ts";
import { POSTGRES_COMPILER } from "./query-compiler.ts";
import { toValues } from "./values.ts";

/** The characters of the statements with cached names. */
const MOST_NAMED = 4 * 2 ** 20;

/**
 * The characters of the statements that a connection prepares before another replaces it. The server takes about 30 bytes
 * for each, and every shape of filter has its own statement.
 */
export const MOST_PREPARED = 2 ** 20;

/** The characters that a shorter statement counts as. */
const SHORTEST = 2_048;

/** The time limits of a pool, in milliseconds. */
export interface PoolTimeouts {
  readonly connect: number;
  /** For a free connection. */
  readonly wait: number;
  /** For a statement; past it, its connection is closed. */
  readonly statement: number;
}

const TIMEOUTS: PoolTimeouts = {
  connect: CONNECT_TIMEOUT_MS,
  wait: POOL_TIMEOUT_MS,
  statement: TRANSACTION_TIMEOUT_MS,
};

/** How a pool connects, and the purpose of its connections. */
export interface PoolOptions {
  /** Its name in metrics. */
  readonly name: string;
  /** Maximum number of connections. */
  readonly most: number;
  /** Counts its statements; default: metrics of its own. */
  readonly metrics?: ConnectionPool;
  /** True if the owners of transactions take turns with the connections; default: false. */
  readonly takesTurns?: boolean;
  /** Counts the callers that wait for a transaction; default: the callers that wait for a connection. */
  readonly countWaiting?: () => number;
  /** Further settings of its sessions. */
  readonly session?: Readonly<Record<string, string>>;
  /** Default: the limits of transactions on the primary. */
  readonly timeouts?: PoolTimeouts;
  /** True to keep idle connections; default: false, which closes them after 10 seconds. */
  readonly keepsIdle?: boolean;
  /** The statement that begins a transaction; default: `begin`. */
  readonly begin?: string;
  /** A statement to run with each commit, and the receiver of its rows. */
  readonly onCommit?: { readonly text: string; take(rows: readonly never[]): void };
  /** Ends the statement that a process of the server runs; absent: abandoned statements run on. */
  readonly cancel?: (pid: number) => Promise<unknown>;
  /** Receives the error of a connection that could not be opened; absent: its caller alone does. */
  readonly onRejected?: (error: unknown) => void;
}

/** The statements that a connection has prepared. */
interface Prepared {
  readonly names: Set<string>;
  characters: number;
}

/** Runs statements and transactions on the connections of a pool, each with exclusive use of a connection. */
export class PostgresPool implements Db {
  readonly metrics: ConnectionPool;
  readonly #settings: ClientSettings;
  readonly #options: PoolOptions;
  readonly #pool: pg.Pool;
  readonly #turns: ConnectionTurns | undefined;
  readonly #pids = new WeakMap<pg.ClientBase, number>();
  readonly #prepared = new WeakMap<pg.ClientBase, Prepared>();
  /** The losses before a connection was opened: one that is older than the last may be lost as well. */
  readonly #losses = new WeakMap<pg.ClientBase, number>();
  #opened = 0;

  constructor(settings: ClientSettings, options: PoolOptions) {
    const { connect, wait, statement } = options.timeouts ?? TIMEOUTS;
    this.#settings = settings;
    this.#options = options;
    this.#turns = options.takesTurns ? new ConnectionTurns(options.most) : undefined;
    this.metrics = options.metrics ?? new ConnectionPool(options.name, () => this.state);
    this.#pool = new pg.Pool({
      ...settings.toConfig(options.session),
      pipeline: true,
      query_timeout: statement,
      max: options.most,
      connectionTimeoutMillis: wait,
      ...(options.keepsIdle && { idleTimeoutMillis: 0 }),
      Client: withConnectTimeout(settings.Client, connect),
      onConnect: (client: pg.ClientBase) => this.#welcome(client),
    } as pg.PoolConfig);
    // The next statement reports the error; without a listener the process would end.
    this.#pool.on("error", () => {});
  }

  /** False behind a pooler, where the next statement may run on another connection. */
  get keepsSession(): boolean {
    return this.#settings.prepares;
  }

  /** The number of connections that were opened so far. */
  get opened(): number {
    return this.#opened;
  }

  /** The current connections. */
  get state(): PoolState {
    const { totalCount, idleCount: idle, waitingCount } = this.#pool;
    const waiting = this.#options.countWaiting?.() ?? (this.#turns?.waiting ?? 0) + waitingCount;
    return { inUse: totalCount - idle, idle, waiting, most: this.#options.most };
  }

  async all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    const { text, values } = compile(query, POSTGRES_COMPILER);
    return (await this.query(text, values, budget)).rows as Row[];
  }

  /**
   * Runs a statement. With a budget, its time is charged to it, except the wait for a connection. The server then
   * ends the statement when the caller no longer waits.
   */
  async query(
    text: string,
    values: readonly unknown[] = [],
    budget?: WorkBudget,
  ): Promise<pg.QueryResult> {
    const start = performance.now();
    try {
      return await this.#queryOnce(text, values, budget).catch((error: unknown) => {
        if (!isStale(error)) throw error;
        return this.#queryOnce(text, values, budget);
      });
    } catch (error) {
      budget?.checkCancelled();
      throw error;
    } finally {
      this.metrics.count(text, start);
    }
  }

  transaction<T>(run: (tx: PostgresTransaction) => Promise<T>, owner = ""): Promise<T> {
    const transact = () => this.#transact(run);
    return this.#turns?.run(owner, transact) ?? transact();
  }

  /** Closes the connections once they are idle. */
  async close(): Promise<void> {
    if (!this.#pool.ending) await this.#pool.end();
  }

  async #transact<T>(run: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    const { begin = "begin", onCommit, timeouts = TIMEOUTS } = this.#options;
    const client = await this.#connect();
    const tx = new PostgresTransaction(client, {
      timeoutMs: timeouts.statement,
      metrics: this.metrics,
      toQuery: (text, values) => this.#toQuery(client, text, values),
    });
    try {
      tx.send(begin);
      const result = await run(tx);
      await tx.commit(onCommit);
      return result;
    } catch (error) {
      throw await tx.rollback(error);
    } finally {
      this.#release(client, tx.isBroken);
    }
  }

  async #queryOnce(
    text: string,
    values: readonly unknown[],
    budget: WorkBudget | undefined,
  ): Promise<pg.QueryResult> {
    const client = await this.#connect();
    let isBroken = false;
    let cancelling: Promise<unknown> | undefined;
    const pid = this.#pids.get(client);
    const cancel = () => {
      if (pid !== undefined) cancelling = this.#options.cancel?.(pid);
    };
    try {
      budget?.checkCancelled();
      budget?.signal?.addEventListener("abort", cancel);
      const send = () => client.query(this.#toQuery(client, text, values));
      return await (budget === undefined ? send() : budget.spend(send));
    } catch (error) {
      isBroken = isConnectionError(error);
      throw translateError(error);
    } finally {
      budget?.signal?.removeEventListener("abort", cancel);
      // Waits, because a later cancellation would end a statement of another caller.
      await cancelling?.catch(() => {});
      this.#release(client, isBroken);
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      for (;;) {
        const client = await this.#pool.connect();
        if (this.#losses.get(client) === this.#settings.losses) return client;
        client.release(true);
      }
    } catch (cause) {
      const error = translateError(cause);
      this.#options.onRejected?.(error);
      throw error;
    }
  }

  #release(client: pg.PoolClient, isBroken: boolean): void {
    if (isBroken) this.#settings.losses += 1;
    const isFull = (this.#prepared.get(client)?.characters ?? 0) >= MOST_PREPARED;
    client.release(isBroken || isFull);
  }

  /** Notes a new connection, and the process of the server if statements may be cancelled. */
  async #welcome(client: pg.ClientBase): Promise<void> {
    this.#opened += 1;
    this.#losses.set(client, this.#settings.losses);
    client.on("error", () => {});
    if (this.#options.cancel === undefined || !this.keepsSession) return;
    const { rows } = await client.query("select pg_backend_pid() as pid");
    this.#pids.set(client, rows[0].pid);
  }

  #toQuery(client: pg.ClientBase, text: string, parameters: readonly unknown[]): pg.QueryConfig {
    const values = toValues(parameters);
    if (!this.#settings.prepares) return { text, values };
    const name = nameOf(text);
    const prepared = this.#prepared.get(client) ?? { names: new Set(), characters: 0 };
    this.#prepared.set(client, prepared);
    if (!prepared.names.has(name)) prepared.characters += Math.max(text.length, SHORTEST);
    prepared.names.add(name);
    return { name, text, values };
  }
}

const NAMES = new LRUCache<string, string>({
  maxSize: MOST_NAMED,
  sizeCalculation: (_, text) => text.length,
});

/** Returns the name of a prepared statement, which is the same for equal texts in every process. */
export function nameOf(text: string): string {
  const known = NAMES.get(text);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 24);
  NAMES.set(text, name);
  return name;
}

/** Returns a client class with its own time limit for connecting, independent of how long a pool lets callers wait. */
function withConnectTimeout(Client: typeof pg.Client, connectTimeoutMs: number): typeof pg.Client {
  return class PooledClient extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...Object(config), connectionTimeoutMillis: connectTimeoutMs });
    }
  };
}
