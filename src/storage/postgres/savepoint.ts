import type { Transaction } from "kysely";
import type { Schema } from "../sql/schema.ts";
import { PostgresConnection } from "./driver.ts";

/** Runs a part of a transaction in a savepoint, as an error otherwise ends the whole transaction. */
export async function inSavepoint<T>(
  tx: Transaction<Schema>,
  run: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  await send(tx, "savepoint part");
  try {
    const result = await run(tx);
    await send(tx, "release savepoint part");
    return result;
  } catch (fault) {
    await send(tx, "rollback to savepoint part");
    await send(tx, "release savepoint part");
    throw fault;
  }
}

/** Sends a statement of which only the failure matters, which the next statement or the commit reports. */
async function send(tx: Transaction<Schema>, text: string): Promise<void> {
  await tx.getExecutor().provideConnection(async (connection) => {
    if (connection instanceof PostgresConnection) connection.sendAhead(text);
  });
}
