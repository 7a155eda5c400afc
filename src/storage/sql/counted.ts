import { setImmediate } from "node:timers/promises";
import type { Kysely } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import type { Schema } from "./schema.ts";

/** Makes the budget of a list that belongs to no request. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** Runs a query and counts its time, without the time that it waits for the connection. */
export function runCounted<T>(
  db: Kysely<Schema>,
  budget: WorkBudget,
  query: (db: Kysely<Schema>) => Promise<T>,
): Promise<T> {
  if (db.isTransaction) return budget.spend(() => query(db));
  return db.connection().execute((connection) => budget.spend(() => query(connection)));
}
