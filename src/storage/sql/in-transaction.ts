import type { Kysely, Transaction } from "kysely";
import type { WriteScope } from "../write-scope.ts";
import type { Connections } from "./connections.ts";
import type { Schema } from "./schema.ts";

/** The most attempts at a transaction that the engine rolls back due to conflicts. */
const MOST_ATTEMPTS = 8;

/** Finds the scope of a write before its transaction begins. */
export type FindScope = (db: Kysely<Schema>) => Promise<WriteScope>;

/**
 * Runs writes in one transaction with their scope locked, or in the transaction of the given connections,
 * whose caller has locked the scope. `run` is called again, at most `attempts` times in total, if the engine
 * rolled the transaction back due to a conflict.
 */
export async function inTransaction<T>(
  { read, write, writeShort, dialect }: Connections,
  scope: WriteScope | FindScope,
  run: (tx: Transaction<Schema>) => Promise<T>,
  attempts: number = MOST_ATTEMPTS,
): Promise<T> {
  if (write.isTransaction) return dialect.nest(write as Transaction<Schema>, run);
  for (let left = attempts; ; left -= 1) {
    try {
      const found = typeof scope === "function" ? await scope(read) : scope;
      const runLocked = async (tx: Transaction<Schema>) => {
        await dialect.lock(tx, found);
        return run(tx);
      };
      return writeShort !== undefined && isShort(found)
        ? await writeShort(runLocked)
        : await write.transaction().execute(runLocked);
    } catch (fault) {
      if (left <= 1 || !dialect.isRetryable(fault)) throw fault;
    }
  }
}

/** Decides whether a write is short by its scope: only beyond a project may it delete or import very much. */
function isShort(scope: WriteScope): boolean {
  return typeof scope === "object" && "projectIds" in scope;
}

/** Runs reads in one snapshot: in a transaction of their own, or in the caller's. */
export function inReadTransaction<T>(
  { read }: Pick<Connections, "read">,
  run: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return read.isTransaction ? run(read as Transaction<Schema>) : read.transaction().execute(run);
}
