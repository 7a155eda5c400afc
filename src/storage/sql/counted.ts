import { setImmediate } from "node:timers/promises";
import type { CompiledQuery } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import type { Reader } from "./connections.ts";

/** Creates a budget for a list outside of requests. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** Runs a query and charges its time to the budget, except the wait for a connection. */
export async function runCounted<T>(
  { read, readNow }: Reader,
  budget: WorkBudget,
  query: CompiledQuery<T>,
): Promise<readonly T[]> {
  // A third of the time of a short query is Kysely's: its lock, and a promise for each of its layers.
  const known = readNow && budget.count(() => readNow(query));
  if (known !== undefined) return known;
  const { rows } = await read
    .getExecutor()
    .provideConnection((connection) => budget.spend(() => connection.executeQuery<T>(query)));
  return rows;
}
