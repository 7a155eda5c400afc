import type Database from "better-sqlite3";
import type { Store } from "../../../src/storage/contract/store.ts";
import { SqlStore } from "../../../src/storage/sql/store.ts";
import { ChangeWatch } from "../../../src/storage/sqlite/change-watch.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { SqliteReader } from "../../../src/storage/sqlite/sqlite-db.ts";
import { SqliteWriter } from "../../../src/storage/sqlite/sqlite-writer.ts";

/** A statement that a store ran. */
export interface RunQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Creates a store over one connection, and over one for leases if they lie elsewhere, that records its queries. */
export function createStoreOver(
  database: Database.Database,
  onQuery: (query: RunQuery) => void = () => {},
  leases: Database.Database = database,
): Store {
  const options = { name: "write", busyTimeoutMs: 1_000 };
  const connection = recordQueries(database, onQuery);
  const write = new SqliteWriter(connection, options);
  return new SqlStore({
    read: new SqliteReader(() => connection),
    write: (_, run) => write.transaction(run),
    leases: leases === database ? write : new SqliteWriter(recordQueries(leases, onQuery), options),
    dialect: SQLITE_DIALECT,
    pools: [],
    changes: new ChangeWatch(database, () => 0),
    readiness: async () => ({ schema: 0, primary: true, writable: true }),
    measureTables: async () => new Map(),
    close: async () => void database.close(),
  });
}

/** Returns a connection that records what is run on it, but for the statements of transactions. */
export function recordQueries(
  database: Database.Database,
  onQuery: (query: RunQuery) => void,
): Database.Database {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    const record = (parameters: readonly unknown[]) => {
      if (!/^(?:begin|commit|rollback)/.test(sql)) onQuery({ sql, parameters });
    };
    return {
      reader: statement.reader,
      all(...parameters: unknown[]) {
        record(parameters);
        return statement.all(...parameters);
      },
      run(...parameters: unknown[]) {
        record(parameters);
        return statement.run(...parameters);
      },
    };
  };
  return Object.create(database, { prepare: { value: prepare } });
}
