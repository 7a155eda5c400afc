import type { CompiledQuery, DatabaseConnection, Transaction } from "kysely";
import { runNow } from "./run-now.ts";
import type { Schema } from "./schema.ts";

/** A connection that sends a statement with the next one whose result somebody waits for. */
export interface AheadConnection extends DatabaseConnection {
  sendAhead(text: string, parameters: readonly unknown[]): void;
}

/**
 * Runs a statement of a transaction whose result nobody needs, where the engine can together with the next one that
 * somebody waits for, at the latest with the commit. That one then reports its failure.
 */
export async function sendAhead<Tables = Schema>(
  tx: Transaction<Tables>,
  query: CompiledQuery,
): Promise<void> {
  if (runNow(tx, query) !== undefined) return;
  await tx.getExecutor().provideConnection(async (connection) => {
    if ("sendAhead" in connection) {
      (connection as AheadConnection).sendAhead(query.sql, query.parameters);
    } else {
      await connection.executeQuery(query);
    }
  });
}
