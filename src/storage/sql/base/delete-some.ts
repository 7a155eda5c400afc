import { type Expression, sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import type { Tx } from "../../db/db.ts";

/** The rows of one table that a step of a deletion deletes. */
export const ROWS_AT_ONCE = 500;

/**
 * Deletes the rows of a table whose keys a subquery with a limit selects, and returns one row for each. The subquery is
 * materialized: PostgreSQL could run one that skips locked rows again, and delete more than its limit.
 */
export function deleteSome(table: keyof Schema, key: readonly string[], some: Expression<unknown>) {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  return sql<object>`
    with "some_rows" as materialized ${some}
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from "some_rows") returning 1
  `;
}

/** Deletes at most `ROWS_AT_ONCE` rows of a table that a condition selects. Returns their number. */
export async function deleteStep(
  tx: Tx,
  table: keyof Schema,
  key: readonly string[],
  condition: Expression<unknown>,
): Promise<number> {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const some = sql`(select ${columns} from ${sql.table(table)} where ${condition} limit ${ROWS_AT_ONCE})`;
  return (await tx.all(deleteSome(table, key, some))).length;
}

/**
 * Deletes the rows of a table that a condition selects in steps: each statement must end within a time limit, and other calls
 * run between two.
 */
export async function deleteInSteps(
  ...[tx, table, key, condition]: Parameters<typeof deleteStep>
): Promise<void> {
  while ((await deleteStep(tx, table, key, condition)) === ROWS_AT_ONCE);
}
