import { setImmediate } from "node:timers/promises";
import type { CompiledQuery, Kysely } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import { runNow } from "./run-now.ts";
import type { Schema } from "./schema.ts";

/** Creates a budget for a list outside of requests. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** Runs a query and charges its time to the budget, except the wait for a connection. */
export async function runCounted<T>(
  db: Kysely<Schema>,
  budget: WorkBudget,
  query: CompiledQuery<T>,
): Promise<readonly T[]> {
  const known = budget.count(() => runNow(db, query));
  if (known !== undefined) return known;
  const { rows } = await db
    .getExecutor()
    .provideConnection((connection) => budget.spend(() => connection.executeQuery<T>(query)));
  return rows;
}
