import pg, { type ClientConfig } from "pg";
import { TYPES } from "./values.ts";

/** The address of a PostgreSQL database, as a URL. */
export interface PostgresLocation {
  readonly engine: "postgres";
  /**
   * `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with the parameters of pg, and those of Marquee:
   * `prepare=false` for a pooler that gives every transaction another connection.
   */
  readonly url: string;
}

/** The time for connecting, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5_000;

/** The time for which a transaction waits for a connection, in milliseconds. */
export const POOL_TIMEOUT_MS = 10_000;

/** The time for a statement of a pipelined connection, in milliseconds. */
export const READ_TIMEOUT_MS = 10_000;

/** The time for a statement of a transaction, in milliseconds. A connection whose server is gone is given up then. */
export const TRANSACTION_TIMEOUT_MS = 10_000;

/** The same for a transaction beyond one project, which may delete or import very much. */
export const WIDE_TIMEOUT_MS = 60_000;

/**
 * The settings of every session. Plans are made once for a statement, without its values, so that they do not
 * depend on statistics. The times are for a lock, after which the writer fails as it does on SQLite, and for a
 * process that stops in a transaction.
 */
const SESSION: Readonly<Record<string, string>> = {
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  lock_timeout: "5s",
  idle_in_transaction_session_timeout: "60s",
};

/** The settings of the connections to a database. */
export interface ClientSettings {
  /** The class of the connections. */
  readonly Client: typeof pg.Client;
  /** False: statements have no names, because the next one may run on another connection. */
  readonly prepares: boolean;
  /** Returns the configuration of a connection with further settings of its session. */
  toConfig(session?: Readonly<Record<string, string>>): ClientConfig;
}

/** Reads the settings of an address, for connections of a class. */
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
    toConfig(session = {}) {
      const all = { ...SESSION, ...session };
      const settings = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
      // A pooler rejects them; the README says how to set them for the database's user.
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
