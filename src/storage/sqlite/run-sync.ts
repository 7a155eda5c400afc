import type { CompiledQuery, SqliteDatabase } from "kysely";

/** Runs a query and returns its rows; none of one that only writes. */
export function runSync<T>(
  database: SqliteDatabase,
  { sql, parameters }: CompiledQuery<T>,
): readonly T[] {
  const statement = database.prepare(sql);
  if (statement.reader) return statement.all(parameters) as T[];
  statement.run(parameters);
  return [];
}
