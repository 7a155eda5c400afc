import type { CompiledQuery, Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** Runs a query and returns its rows; undefined while a transaction occupies the connection. */
export type RunNow = <T>(query: CompiledQuery<T>) => readonly T[] | undefined;

const DIRECT = new WeakMap<object, RunNow>();

/**
 * Lets the queries of a connection or a transaction go around Kysely's lock and its promises, one for each of
 * its layers, which took a third of the time of a short query. For engines that answer without waiting.
 */
export function runDirectly(db: Kysely<Schema>, run: RunNow): void {
  DIRECT.set(db, run);
}

/** Runs a query immediately; undefined if it must wait, or the engine cannot. */
export function runNow<T>(db: object, query: CompiledQuery<T>): readonly T[] | undefined {
  return DIRECT.get(db)?.(query);
}

/** Runs a query and returns its rows. */
export type RunQuery = <T>(query: CompiledQuery<T>) => Promise<readonly T[]>;

const UNWRAPPED = new WeakMap<Kysely<Schema>, RunQuery>();

/** Lets the queries of a connection or a transaction go around Kysely's layers like {@link runDirectly}, but wait. */
export function runUnwrapped(db: Kysely<Schema>, run: RunQuery): void {
  UNWRAPPED.set(db, run);
}

/** Runs a query, around Kysely's layers if the engine can. */
export async function runQuery<T>(
  db: Kysely<Schema>,
  query: CompiledQuery<T>,
): Promise<readonly T[]> {
  const run = UNWRAPPED.get(db);
  return run === undefined ? (await db.executeQuery<T>(query)).rows : run(query);
}
