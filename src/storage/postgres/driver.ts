import { pipeline } from "node:stream/promises";
import { AbortedTransactionError, type CompiledQuery, type Driver, type Transaction } from "kysely";
import pg, { DatabaseError } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { ConnectionPool } from "../connection-pool.ts";
import type { ReadConnection, Reader, WaitedResult } from "../sql/counted.ts";
import type { AheadConnection } from "../sql/send-ahead.ts";
import {
  type ClientSettings,
  CONNECT_TIMEOUT_MS,
  POOL_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from "./client-settings.ts";
import { isConnectionError, translateError } from "./errors.ts";
import type { QueuedResult, StatementRunner } from "./pipelined-connections.ts";
import type { ServerDelay } from "./server-delay.ts";
import { type BatchStatement, StatementBatch, type StatementResult } from "./statement-batch.ts";
import { createStatementNames, type StatementNames } from "./statement-names.ts";

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
  /** The name of their connections in metrics. */
  readonly name: string;
  readonly delay: ServerDelay;
  /** The statement that begins them. */
  readonly begin: string;
  /** The most at once. */
  readonly most: number;
  /** Further settings of their sessions. */
  readonly session?: Readonly<Record<string, string>>;
  /** Default: those of transactions on the primary. */
  readonly timeouts?: TransactionTimeouts;
  /** Counts those who wait for a transaction; default: those who wait for a connection. */
  readonly countWaiting?: () => number;
  /** A statement to run with the commit. */
  readonly onCommit?: {
    readonly text: string;
    /** Gets the rows of the statement once they are committed. */
    take(rows: readonly never[]): void;
  };
}

/**
 * Runs statements on shared connections and transactions on those of a pool. What belongs to a transaction is
 * sent on one connection, together where no result is needed in between.
 */
export class PostgresDriver implements Driver {
  readonly pool: ConnectionPool;
  readonly #shared: StatementRunner;
  readonly #pool: pg.Pool;
  readonly #options: TransactionOptions;
  readonly #names = new WeakMap<pg.ClientBase, StatementNames>();
  readonly #prepares: boolean;

  constructor(settings: ClientSettings, shared: StatementRunner, options: TransactionOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#prepares = settings.prepares;
    this.pool = new ConnectionPool(options.name, () => {
      const { totalCount, idleCount: idle, waitingCount } = this.#pool;
      const waiting = options.countWaiting?.() ?? waitingCount;
      return { inUse: totalCount - idle, idle, waiting, most: options.most };
    });
    const { connect, wait } = options.timeouts ?? TIMEOUTS;
    this.#pool = new pg.Pool({
      ...settings.toConfig(options.session),
      max: options.most,
      connectionTimeoutMillis: wait,
      Client: toPooledClient(settings.Client, connect),
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
      connection.begin(client, this.#namesOf(client), this.#options, this.pool);
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

/** A connection of its own while a transaction is open. */
interface OpenTransaction {
  readonly client: pg.PoolClient;
  readonly names: StatementNames;
  readonly options: TransactionOptions;
  readonly pool: ConnectionPool;
}

/** The SQLSTATEs by which the server refuses what follows a failed statement: the rest, and an unknown savepoint. */
const CONSEQUENCES = ["25P02", "3B001"];

/** Runs statements, in the open transaction if there is one. */
export class PostgresConnection implements AheadConnection, ReadConnection {
  readonly #shared: StatementRunner;
  readonly #delay: ServerDelay;
  #transaction: OpenTransaction | undefined;
  #isBroken = false;
  /** The statements to send next, and their results once somebody waits for one. */
  #next: BatchStatement[] = [];
  #results: Promise<readonly StatementResult[]> | undefined;
  /** Why the server refuses further statements until the transaction, or a part of it, is rolled back. */
  #fault: unknown;
  /** Ends with the COPYs that were sent; absent if there are none. */
  #copies: Promise<unknown> | undefined;
  #savepoints = 0;

  /** The time for statements of the transaction that are sent together, in milliseconds. */
  timeoutMs = TRANSACTION_TIMEOUT_MS;

  constructor(shared: StatementRunner, delay: ServerDelay) {
    this.#shared = shared;
    this.#delay = delay;
  }

  executeQuery<R>(query: CompiledQuery): Promise<WaitedResult<R>> {
    return this.read(query);
  }

  async read<R>({ sql, parameters }: CompiledQuery, reader?: Reader): Promise<WaitedResult<R>> {
    const { result, waited } = await this.#delay.measure<StatementResult | QueuedResult>(() =>
      this.#transaction === undefined
        ? this.#shared.run(sql, parameters, reader)
        : this.#run(sql, parameters),
    );
    const { command, rowCount } = result;
    const rows = result.rows as R[];
    const time = Math.max(waited, "queued" in result ? result.queued : 0);
    const wait = time > 0 && { waited: time };
    return command === "SELECT" || rowCount === null || rowCount === undefined
      ? { rows, ...wait }
      : { rows, ...wait, numAffectedRows: BigInt(rowCount) };
  }

  /** Runs a statement of the open transaction and returns its rows. */
  async runInTransaction<R>({ sql, parameters }: CompiledQuery<R>): Promise<readonly R[]> {
    return (await this.#run(sql, parameters)).rows as R[];
  }

  // biome-ignore lint/correctness/useYield: no query of the store is streamed.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("streams of rows are not supported");
  }

  begin(
    client: pg.PoolClient,
    names: StatementNames,
    options: TransactionOptions,
    pool: ConnectionPool,
  ): void {
    this.#transaction = { client, names, options, pool };
    this.timeoutMs = (options.timeouts ?? TIMEOUTS).statement;
    this.sendAhead(options.begin);
  }

  /**
   * Sends a statement of the transaction with the next one whose result somebody waits for, which fails as this one
   * does; at the latest with the commit. One without parameters is not prepared.
   */
  sendAhead(text: string, parameters?: readonly unknown[]): void {
    const name = parameters && this.#open.names.of(text);
    this.#next.push({ text, parameters: parameters ?? [], name });
  }

  /** Returns a name that no other savepoint of the transaction has. */
  nextSavepoint(): string {
    this.#savepoints += 1;
    return `part_${this.#savepoints}`;
  }

  /**
   * Writes rows to a table by a COPY from standard input, after those before it. Statements that are run meanwhile
   * wait for it, and fail as it does.
   */
  copyFrom(text: string, rows: string): Promise<void> {
    const ahead = this.#next;
    this.#next = [];
    const before = Promise.resolve(this.#copies);
    const copied = before.then(() => this.#copy(ahead, text, rows));
    this.#copies = copied.catch(() => {});
    return copied;
  }

  async #copy(ahead: readonly BatchStatement[], text: string, rows: string): Promise<void> {
    const { client } = this.#open;
    if (ahead.length > 0) await this.#send(ahead);
    try {
      const copy = Object.assign(copyFrom(text), { query_timeout: this.timeoutMs });
      await pipeline([Buffer.from(rows)], client.query(copy));
    } catch (fault) {
      throw this.#note(fault);
    }
  }

  async commit(): Promise<void> {
    const { onCommit } = this.#open.options;
    const last = onCommit && this.#run(onCommit.text, []);
    const [committed, changes] = await Promise.all([this.#run("commit", []), last]);
    // The server answers a commit of a failed transaction with its rollback, and with no error.
    if (committed.command !== "COMMIT") throw new AbortedTransactionError();
    if (changes !== undefined) onCommit?.take(changes.rows as never[]);
  }

  /**
   * Rolls the transaction back. What would have been sent with the next statement is executed before, and its failure
   * thrown: whoever rolls back a dry run has to learn of it.
   */
  async rollback(): Promise<void> {
    if (this.#transaction === undefined || this.#isBroken) return;
    if (this.#fault !== undefined) this.#next = [];
    const isBehindOthers = this.#next.length > 0;
    try {
      await this.#run("rollback", []);
    } catch (fault) {
      if (!this.#isBroken) {
        await this.#run("rollback", []).catch(() => {
          this.#isBroken = true;
        });
      }
      if (isBehindOthers) throw fault;
    }
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

  async #run(text: string, parameters: readonly unknown[]): Promise<StatementResult> {
    if (this.#copies !== undefined) await this.#copies;
    const place = this.#next.length;
    this.sendAhead(text, parameters);
    const results = await this.#flush();
    return results[place] as StatementResult;
  }

  /** Sends the next statements once all callers that do not wait have added theirs. */
  #flush(): Promise<readonly StatementResult[]> {
    this.#results ??= new Promise((resolve, reject) => {
      process.nextTick(() => {
        const statements = this.#next;
        this.#next = [];
        this.#results = undefined;
        this.#send(statements).then(resolve, reject);
      });
    });
    return this.#results;
  }

  async #send(statements: readonly BatchStatement[]): Promise<readonly StatementResult[]> {
    const batch = new StatementBatch(statements, this.timeoutMs);
    const { client, pool } = this.#open;
    const start = performance.now();
    try {
      client.query(batch);
      const results = await batch.results;
      this.#fault = undefined;
      return results;
    } catch (fault) {
      throw this.#note(fault);
    } finally {
      pool.count(statements.at(-1)?.text ?? "", start);
    }
  }

  /** Returns the failure that a fault of the server or the connection stands for: the first one. */
  #note(fault: unknown): unknown {
    if (isConnectionError(fault)) this.#isBroken = true;
    const isConsequence = fault instanceof DatabaseError && CONSEQUENCES.includes(fault.code ?? "");
    if (!isConsequence || this.#fault === undefined) this.#fault = translateError(fault);
    return this.#fault;
  }
}

/** Returns the connection of a transaction. */
export function connectionOf<Tables>(tx: Transaction<Tables>): Promise<PostgresConnection> {
  return tx.getExecutor().provideConnection(async (connection) => {
    if (connection instanceof PostgresConnection) return connection;
    throw new Error("a transaction of another engine");
  });
}
