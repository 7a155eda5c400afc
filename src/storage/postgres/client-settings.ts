import pg, { type ClientConfig } from "pg";
import { TYPES } from "./values.ts";

/** The location of a PostgreSQL database. */
export interface PostgresLocation {
  readonly engine: "postgres";
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the parameters of pg and of Marquee: `prepare=false` for a
   * pooler that gives every transaction another connection.
   */
  readonly url: string;
}

/** The time limit for connecting, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** How long a transaction waits for a connection, in milliseconds. */
export const POOL_TIMEOUT_MS = 10_000;

/** The time limit of a statement on a pipelined connection, in milliseconds. */
export const READ_TIMEOUT_MS = 10_000;

/** The time limit of a statement in a transaction, in milliseconds; past it the connection is closed. */
export const TRANSACTION_TIMEOUT_MS = 10_000;

/** The same limit in a transaction beyond one project, which may delete or import very much. */
export const WIDE_TIMEOUT_MS = 60_000;

/** Begins a transaction that writes. */
export const BEGIN_WRITE = "begin isolation level read committed read write";

/** Ends the time limits of a transaction that may take hours, which the user of the database may have. */
export const WITHOUT_TIMEOUTS = `
  select set_config(name, '0', true) from pg_settings
  where name in ('idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout', 'transaction_timeout')
`;

/**
 * The settings of every session, as the server prints them. Plans are made once for a statement, without its values, and read tables by their
 * indexes in nested loops, so that they do not depend on statistics. The time limits are for a lock, where a writer that
 * exceeds it fails like on SQLite, and for a process that stops in a transaction.
 */
export const SESSION: Readonly<Record<string, string>> = {
  default_transaction_isolation: "read committed",
  plan_cache_mode: "force_generic_plan",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "1min",
};

/** The settings of the connections to a database. */
export interface ClientSettings {
  /** The class of the connections. */
  readonly Client: typeof pg.Client;
  /** False: statements have no names, because the next one may run on another connection. */
  readonly prepares: boolean;
  /** The number of connections that were lost so far, in any pool. */
  losses: number;
  /** Returns the configuration of a connection with further settings of its session. */
  toConfig(session?: Readonly<Record<string, string>>): ClientConfig;
}

/** Reads the settings of a location, for connections of a class. */
export function readSettings(
  { url }: PostgresLocation,
  Client: typeof pg.Client = pg.Client,
): ClientSettings {
  const [base = "", query = ""] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  const prepares = parameters.get("prepare") !== "false";
  parameters.delete("prepare");
  const written = parameters.get("options");
  parameters.delete("options");
  return {
    Client,
    prepares,
    losses: 0,
    toConfig(session = {}) {
      const all = { ...SESSION, ...session };
      const settings = Object.entries(all).map(
        ([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`,
      );
      // A pooler rejects them; `docs/postgres.md` says how to set them for the database's user.
      const options = [...(written === null ? [] : [written]), ...(prepares ? settings : [])];
      return {
        connectionString: parameters.size === 0 ? base : `${base}?${parameters}`,
        ...(options.length > 0 && { options: options.join(" ") }),
        application_name: parameters.get("application_name") ?? "marquee",
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        keepAlive: true,
        types: TYPES,
      };
    },
  };
}

/** Finds the settings that sessions should have and do not, because a pooler drops them. */
export async function findMissingSettings(runner: {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
}): Promise<readonly string[]> {
  const { rows } = await runner.query(
    "select name from unnest($1::text[], $2::text[]) as wanted (name, value) where current_setting(name) <> value",
    [Object.keys(SESSION), Object.values(SESSION)],
  );
  return rows.map(({ name }) => `${name} = ${SESSION[name]}`);
}
