import { setImmediate } from "node:timers/promises";
import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from "kysely";
import { WorkBudget } from "../../domain/work-budget.ts";
import { runNow } from "./run-now.ts";
import type { Schema } from "./schema.ts";

/** Creates a budget for a list outside of requests. */
export function createOwnBudget(): WorkBudget {
  return new WorkBudget({ clock: () => performance.now(), pause: () => setImmediate() });
}

/** For whom a statement reads. */
export type Reader = Pick<WorkBudget, "isLong" | "signal">;

/** A connection that knows for whom it reads. */
export interface ReadConnection extends DatabaseConnection {
  /** Runs a query like `executeQuery`; one whose caller no longer waits may fail. */
  read<T>(query: CompiledQuery<T>, reader: Reader): Promise<WaitedResult<T>>;
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
  try {
    const { rows } = await db.getExecutor().provideConnection((connection) =>
      budget.spend(
        (): Promise<WaitedResult<T>> =>
          "read" in connection
            ? (connection as ReadConnection).read(query, budget)
            : connection.executeQuery<T>(query),
        ({ waited = 0 }) => waited,
      ),
    );
    return rows;
  } catch (fault) {
    budget.checkCancelled();
    throw fault;
  }
}
