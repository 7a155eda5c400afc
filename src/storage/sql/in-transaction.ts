import type { Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

/** Runs steps as one: in a transaction of their own, or in the one that the caller is in already. */
export function inTransaction<T>(
  db: Kysely<Schema>,
  run: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? run(db as Transaction<Schema>) : db.transaction().execute(run);
}
