import type Database from "better-sqlite3";
import type { CompiledQuery, SqliteDatabase } from "kysely";
import type { ReadNow } from "../sql/connections.ts";

/**
 * Creates the direct way to a reading connection, around Kysely's lock and promises. The connection is free
 * whenever no transaction is open on it, as SQLite answers a query before anything else runs; in a transaction,
 * it would not see later writes.
 */
export function createReadNow(
  connection: Pick<Database.Database, "inTransaction">,
  database: SqliteDatabase,
): ReadNow {
  return <T>({ sql, parameters }: CompiledQuery<T>) =>
    connection.inTransaction ? undefined : (database.prepare(sql).all(parameters) as T[]);
}
