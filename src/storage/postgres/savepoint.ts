import type { Transaction } from "kysely";
import type { Schema } from "../sql/schema.ts";
import { connectionOf } from "./driver.ts";

/**
 * Runs a part of a transaction in a savepoint, as an error otherwise ends the whole transaction. A failure of what was
 * sent ahead before the part ends it still: that savepoint is never reached.
 */
export async function inSavepoint<T>(
  tx: Transaction<Schema>,
  run: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const connection = await connectionOf(tx);
  const name = connection.nextSavepoint();
  connection.sendAhead(`savepoint ${name}`);
  try {
    const result = await run(tx);
    connection.sendAhead(`release ${name}`);
    return result;
  } catch (fault) {
    connection.sendAhead(`rollback to ${name}`);
    connection.sendAhead(`release ${name}`);
    throw fault;
  }
}
