import type Database from "better-sqlite3";
import { type CompiledQuery, Kysely } from "kysely";
import type { Schema } from "../../../src/storage/sql/schema.ts";
import { createSqlStore } from "../../../src/storage/sql/store.ts";
import { watchChanges } from "../../../src/storage/sqlite/change-watch.ts";
import { SQLITE_DIALECT } from "../../../src/storage/sqlite/dialect.ts";
import { StablePlanDialect } from "../../../src/storage/sqlite/stable-plan-dialect.ts";
import type { Store } from "../../../src/storage/store.ts";

/** Creates a store over one connection, and over one for leases if they lie elsewhere, that tells its queries. */
export function createStoreOver(
  database: Database.Database,
  onQuery: (query: CompiledQuery) => void = () => {},
  leases?: Database.Database,
): Store {
  const connect = (to: Database.Database) =>
    new Kysely<Schema>({
      dialect: new StablePlanDialect({ database: to }),
      log: ({ query }) => onQuery(query),
    });
  const connection = connect(database);
  const { accessVersion, catchUp, knownRevision } = watchChanges(database, () => 0);
  return createSqlStore({
    read: connection,
    write: connection,
    ...(leases && { leases: connect(leases) }),
    dialect: SQLITE_DIALECT,
    pools: [],
    changes: { accessVersion, catchUp, knownRevision },
    snapshot: (_, run) => connection.transaction().execute(run),
    readiness: async () => ({ schema: 0, primary: true }),
    close: () => connection.destroy(),
  });
}
