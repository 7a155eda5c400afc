import { setImmediate } from "node:timers/promises";
import type { CompiledQuery, Kysely, QueryResult } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import { runNow } from "./run-now.ts";
import type { Schema } from "./schema.ts";

/** Creates a budget for a list outside of requests. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** A result of an engine that knows for how much of its time the server did not respond, in milliseconds. */
export interface WaitedResult<T> extends QueryResult<T> {
  readonly waited?: number;
}

/** Runs a query and charges its time to the budget, except the wait for a connection or a server. */
export async function runCounted<T>(
  db: Kysely<Schema>,
  budget: WorkBudget,
  query: CompiledQuery<T>,
): Promise<readonly T[]> {
  const known = budget.count(() => runNow(db, query));
  if (known !== undefined) return known;
  const { rows } = await db.getExecutor().provideConnection((connection) =>
    budget.spend(
      (): Promise<WaitedResult<T>> => connection.executeQuery<T>(query),
      ({ waited = 0 }) => waited,
    ),
  );
  return rows;
}
