import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ConnectionPool, type PoolState } from "../contract/connection-pool.ts";
import type { Db, Tx } from "../db/db.ts";
import type { Query } from "../db/query.ts";
import { type ClientSettings, READ_TIMEOUT_MS } from "./client-settings.ts";
import { ConnectionTurns } from "./connection-turns.ts";
import { type PoolOptions, PostgresPool } from "./postgres-pool.ts";

/** The number of connections for short reads, for long reads, and for snapshots. */
const MOST = { short: 4, long: 2, snapshots: 10 };

/** The server ends a statement after this share of the connection's time limit. */
const STATEMENT_SHARE = 0.8;

/** Begins a transaction that reads a snapshot. */
export const BEGIN_READ = "begin isolation level repeatable read read only";

/**
 * Reads a database. Long reads have connections of their own, so that other reads do not wait behind them, and
 * organizations take turns with them. So do projects with the connections for snapshots.
 */
export class PostgresReads implements Db {
  readonly queries: ConnectionPool;
  readonly snapshots: PostgresPool;
  readonly #short: PostgresPool;
  readonly #long: PostgresPool;
  readonly #longTurns = new ConnectionTurns(MOST.long);

  constructor(
    settings: ClientSettings,
    parts: Required<Pick<PoolOptions, "cancel" | "onRejected">>,
  ) {
    this.queries = new ConnectionPool("read", () => this.#state);
    const options = {
      name: "read",
      metrics: this.queries,
      session: { statement_timeout: String(READ_TIMEOUT_MS * STATEMENT_SHARE) },
      keepsIdle: true,
      ...parts,
    };
    this.#short = new PostgresPool(settings, { ...options, most: MOST.short });
    this.#long = new PostgresPool(settings, { ...options, most: MOST.long });
    this.snapshots = new PostgresPool(settings, {
      name: "snapshot",
      begin: BEGIN_READ,
      most: MOST.snapshots,
      takesTurns: true,
      onRejected: parts.onRejected,
    });
  }

  all<Row>(query: Query<Row>, budget?: WorkBudget): Promise<Row[]> {
    if (!budget?.isLong) return this.#short.all(query, budget);
    return this.#longTurns.run(budget.organizationId, () => this.#long.all(query, budget));
  }

  transaction<T>(run: (tx: Tx) => Promise<T>, owner?: string): Promise<T> {
    return this.snapshots.transaction(run, owner);
  }

  async close(): Promise<void> {
    await Promise.all([this.#short.close(), this.#long.close(), this.snapshots.close()]);
  }

  get #state(): PoolState {
    const [short, long] = [this.#short.state, this.#long.state];
    return {
      inUse: short.inUse + long.inUse,
      idle: short.idle + long.idle,
      waiting: short.waiting + this.#longTurns.waiting,
      most: MOST.short + MOST.long,
    };
  }
}
