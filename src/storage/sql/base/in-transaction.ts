import { sql } from "kysely";
import type { WriteScope } from "../../contract/write-scope.ts";
import type { Db, Tx } from "../../db/db.ts";
import type { Connections } from "./connections.ts";
import type { Dialect } from "./dialect.ts";

/** Maximum number of attempts at a transaction that the engine rolls back due to conflicts. */
const MOST_ATTEMPTS = 8;

/** Finds the scope of a write before its transaction begins. */
export type FindScope = (db: Db) => Promise<WriteScope>;

/**
 * Runs writes in one transaction with their scope locked, or in the transaction of the given connections, whose
 * caller has locked the scope and rolls back if the writes fail. If the engine rolls the transaction back due to a conflict, `run` is called again, at
 * most `attempts` times in total.
 */
export async function inTransaction<T>(
  { read, tx, write, dialect }: Connections,
  scope: WriteScope | FindScope,
  run: (tx: Tx) => Promise<T>,
  attempts: number = MOST_ATTEMPTS,
): Promise<T> {
  if (tx !== undefined) return run(tx);
  return retryConflicts(
    dialect,
    async () => write(typeof scope === "function" ? await scope(read) : scope, run),
    attempts,
  );
}

/** Works like {@link inTransaction}, but the writes can fail without the transaction of the given connections. */
export async function inPart<T>(
  connections: Connections,
  scope: WriteScope,
  run: (tx: Tx) => Promise<T>,
  attempts: number = MOST_ATTEMPTS,
): Promise<T> {
  const { tx } = connections;
  return tx === undefined ? inTransaction(connections, scope, run, attempts) : tx.transaction(run);
}

/** Runs a transaction, and again if the engine rolled it back due to a conflict, at most `attempts` times in total. */
export async function retryConflicts<T>(
  { isRetryable }: Pick<Dialect, "isRetryable">,
  run: () => Promise<T>,
  attempts: number = MOST_ATTEMPTS,
): Promise<T> {
  for (let left = attempts; ; left -= 1) {
    try {
      return await run();
    } catch (error) {
      if (left <= 1 || !isRetryable(error)) throw error;
    }
  }
}

/** Reports whether a write is short, by its scope: beyond a project it may delete or import very much. */
export function isShort(scope: WriteScope): boolean {
  return typeof scope === "object" && "projectIds" in scope && !scope.isLong;
}

/** Runs reads of an owner, such as a project, in one snapshot: in a transaction of their own, or in the caller's. */
export function inReadTransaction<T>(
  { read, tx }: Pick<Connections, "read" | "tx">,
  owner: string,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  return tx === undefined ? read.transaction(run, owner) : run(tx);
}

/**
 * Ends a step of a long transaction: waits for the statements that were sent, because each must end within a time
 * limit.
 */
export async function endStep(tx: Tx): Promise<void> {
  await tx.all(sql`select 1`);
}
