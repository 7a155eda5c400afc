import { pipeline } from "node:stream/promises";
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
} from "kysely";
import pg, { type QueryResult as Result } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { WaitedResult } from "../sql/counted.ts";
import {
  type ClientSettings,
  CONNECT_TIMEOUT_MS,
  POOL_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from "./client-settings.ts";
import { isConnectionError, translateError } from "./errors.ts";
import type { StatementRunner } from "./pipelined-connections.ts";
import type { ServerDelay } from "./server-delay.ts";
import { createStatementNames, type StatementNames } from "./statement-names.ts";
import { toValues } from "./values.ts";

/** The longest times of a transaction's parts, in milliseconds. */
export interface TransactionTimeouts {
  readonly connect: number;
  /** For a free connection of the pool. */
  readonly wait: number;
  readonly statement: number;
}

const TIMEOUTS: TransactionTimeouts = {
  connect: CONNECT_TIMEOUT_MS,
  wait: POOL_TIMEOUT_MS,
  statement: TRANSACTION_TIMEOUT_MS,
};

/** What the transactions of a driver are for. */
export interface TransactionOptions {
  readonly delay: ServerDelay;
  /** The statement that begins them. */
  readonly begin: string;
  /** The most at once. */
  readonly most: number;
  /** Further settings of their sessions. */
  readonly session?: Readonly<Record<string, string>>;
  /** Default: those of transactions on the primary. */
  readonly timeouts?: TransactionTimeouts;
  /** A statement to run with the commit. */
  readonly onCommit?: {
    readonly text: string;
    /** Gets the rows of the statement once they are committed. */
    take(rows: readonly never[]): void;
  };
}

/**
 * Runs statements on shared connections and transactions on those of a pool. What belongs to a transaction is
 * sent on one connection without waits in between where no result is needed.
 */
export class PostgresDriver implements Driver {
  readonly #shared: StatementRunner;
  readonly #pool: pg.Pool;
  readonly #options: TransactionOptions;
  readonly #names = new WeakMap<pg.ClientBase, StatementNames>();
  readonly #prepares: boolean;

  constructor(settings: ClientSettings, shared: StatementRunner, options: TransactionOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#prepares = settings.prepares;
    const { connect, wait } = options.timeouts ?? TIMEOUTS;
    this.#pool = new pg.Pool({
      ...settings.toConfig(options.session),
      max: options.most,
      connectionTimeoutMillis: wait,
      Client: toPooledClient(settings.Client, connect),
      pipeline: true,
    } as pg.PoolConfig);
    // The next statement reports what happened; without listeners the process would end.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    return new PostgresConnection(this.#shared, this.#options.delay);
  }

  async beginTransaction(connection: PostgresConnection): Promise<void> {
    try {
      const client = await this.#pool.connect();
      connection.begin(client, this.#namesOf(client), this.#options);
    } catch (fault) {
      throw translateError(fault);
    }
  }

  commitTransaction(connection: PostgresConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: PostgresConnection): Promise<void> {
    return connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.#pool.end();
  }

  #namesOf(client: pg.ClientBase): StatementNames {
    const known = this.#names.get(client) ?? createStatementNames(this.#prepares);
    this.#names.set(client, known);
    return known;
  }
}

/** Returns clients whose time for connecting is not that for which a pool lets others wait. */
function toPooledClient(Client: typeof pg.Client, connectTimeoutMs: number): typeof pg.Client {
  return class PooledClient extends Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...Object(config), connectionTimeoutMillis: connectTimeoutMs });
    }
  };
}

/** Sends the statements that follow without a wait in one piece: every write to a socket takes a system call. */
function sendTogether(client: pg.ClientBase): void {
  if (!(client instanceof pg.Client)) return;
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** A connection of its own while a transaction is open. */
interface OpenTransaction {
  readonly client: pg.PoolClient;
  readonly names: StatementNames;
  readonly options: TransactionOptions;
  /** Settles with the statements that were sent ahead, the first of which begins the transaction. */
  ahead: Promise<unknown>;
}

/** Runs statements, in the open transaction if there is one. */
export class PostgresConnection implements DatabaseConnection {
  readonly #shared: StatementRunner;
  readonly #delay: ServerDelay;
  #transaction: OpenTransaction | undefined;
  #isBroken = false;

  /** The time for a statement of the transaction, in milliseconds. */
  timeoutMs = TRANSACTION_TIMEOUT_MS;

  constructor(shared: StatementRunner, delay: ServerDelay) {
    this.#shared = shared;
    this.#delay = delay;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<WaitedResult<R>> {
    const { result, waited } = await this.#delay.measure(() =>
      this.#transaction === undefined
        ? this.#shared.run(sql, parameters)
        : this.#run(this.#transaction, sql, parameters),
    );
    const { command, rowCount, rows } = result;
    return command === "SELECT" || rowCount === null
      ? { rows, waited }
      : { rows, waited, numAffectedRows: BigInt(rowCount) };
  }

  // biome-ignore lint/correctness/useYield: no query of the store is streamed.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("streams of rows are not supported");
  }

  begin(client: pg.PoolClient, names: StatementNames, options: TransactionOptions): void {
    this.#transaction = { client, names, options, ahead: Promise.resolve() };
    this.timeoutMs = (options.timeouts ?? TIMEOUTS).statement;
    sendTogether(client);
    this.sendAhead(options.begin);
  }

  /** Sends a statement of the transaction without waiting; whatever is sent next reports its failure. */
  sendAhead(text: string): void {
    const transaction = this.#open;
    transaction.ahead = Promise.all([transaction.ahead, this.#send(transaction.client, text)]);
    transaction.ahead.catch(() => {});
  }

  /** Writes rows to a table by a COPY from standard input, once everything sent before has ended. */
  async copyFrom(text: string, rows: string): Promise<void> {
    const { client, ahead } = this.#open;
    await ahead;
    // pg takes no COPY while it sends statements ahead.
    const own: { pipeline?: boolean } = client as object;
    own.pipeline = false;
    try {
      const copy = Object.assign(copyFrom(text), { query_timeout: this.timeoutMs });
      await pipeline([Buffer.from(rows)], client.query(copy));
    } catch (fault) {
      if (isConnectionError(fault)) this.#isBroken = true;
      throw translateError(fault);
    } finally {
      own.pipeline = true;
    }
  }

  async commit(): Promise<void> {
    const transaction = this.#open;
    const { client, options, ahead } = transaction;
    const { onCommit } = options;
    sendTogether(client);
    const last = onCommit && this.#run(transaction, onCommit.text, []);
    const [result, rows] = await Promise.all([
      this.#send(client, "commit"),
      last?.then((it) => it.rows as never[]),
      ahead,
    ]);
    // The server answers a commit of a failed transaction with its rollback, and with no error.
    if (result.command !== "COMMIT") throw new AbortedTransactionError();
    if (rows !== undefined) onCommit?.take(rows);
  }

  async rollback(): Promise<void> {
    const client = this.#transaction?.client;
    if (client === undefined || this.#isBroken) return;
    await this.#send(client, "rollback").catch(() => {
      this.#isBroken = true;
    });
  }

  release(): void {
    const { client, names } = this.#transaction ?? {};
    this.#transaction = undefined;
    client?.release(this.#isBroken || names?.isFull);
  }

  get #open(): OpenTransaction {
    if (this.#transaction === undefined) throw new Error("no transaction is open");
    return this.#transaction;
  }

  async #run(
    { client, names, ahead }: OpenTransaction,
    text: string,
    parameters: readonly unknown[],
  ): Promise<Result> {
    const name = names.of(text);
    const sent = this.#send(client, { text, values: toValues(parameters), ...(name && { name }) });
    const [result] = await Promise.all([sent, ahead]);
    return result;
  }

  async #send(client: pg.PoolClient, query: string | pg.QueryConfig): Promise<Result> {
    try {
      const config = typeof query === "string" ? { text: query } : query;
      return await client.query({ ...config, query_timeout: this.timeoutMs } as pg.QueryConfig);
    } catch (fault) {
      if (isConnectionError(fault)) this.#isBroken = true;
      throw translateError(fault);
    }
  }
}
