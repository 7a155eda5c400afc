import { setImmediate } from "node:timers/promises";
import type { CompiledQuery, Kysely } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import type { Schema } from "./schema.ts";

/** Makes the budget of a list that belongs to no request. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** Runs a query and counts its time, without the time that it waits for the connection. */
export async function runCounted<T>(
  db: Kysely<Schema>,
  budget: WorkBudget,
  query: CompiledQuery<T>,
): Promise<readonly T[]> {
  const { rows } = await db
    .getExecutor()
    .provideConnection((connection) => budget.spend(() => connection.executeQuery<T>(query)));
  return rows;
}
