import { type Expression, sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import { UNLOCKED } from "../../contract/write-scope.ts";
import type { Tx } from "../../db/db.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";

/** The rows of one table that a step of a deletion deletes. */
export const ROWS_AT_ONCE = 500;

/** Rows of a table to delete. */
export interface SomeRows {
  readonly table: keyof Schema;
  readonly key: readonly string[];
  readonly condition: Expression<unknown>;
  /** The column with the order of the rows, of which the first are deleted; absent: any. */
  readonly orderedBy?: string;
  readonly limit: number;
  /** Ends the query of the rows. */
  readonly end?: Expression<unknown>;
}

/**
 * Returns the statement that deletes some rows and returns one row for each. Their keys are selected first, and once:
 * PostgreSQL could run a query that skips locked rows again, and delete more than its limit.
 */
export function deleteSome({ table, key, condition, orderedBy, limit, end = sql`` }: SomeRows) {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const order = orderedBy === undefined ? sql`` : sql`order by ${sql.ref(orderedBy)}`;
  return sql<object>`
    with "some_rows" as materialized (select ${columns} from ${sql.table(table)} where ${condition}
      ${order} limit ${limit} ${end})
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from "some_rows") returning 1
  `;
}

/** Deletes rows in a transaction of their own, except rows that another one is writing. Returns their number. */
export async function prune(connections: Connections, rows: SomeRows): Promise<number> {
  const { table, condition } = rows;
  const any = sql`select 1 from ${sql.table(table)} where ${condition} limit 1`;
  // Read before writing: a write invalidates caches, and mostly there is nothing to do.
  if ((await connections.read.all(any)).length === 0) return 0;
  const end = connections.dialect.skipLocked;
  return inTransaction(connections, UNLOCKED, async (tx) => {
    const pruned = await tx.all(deleteSome({ ...rows, end }));
    return pruned.length;
  });
}

/** Deletes at most `ROWS_AT_ONCE` rows of a table that a condition selects. Returns their number. */
export async function deleteStep(
  tx: Tx,
  rows: Pick<SomeRows, "condition" | "key" | "table">,
): Promise<number> {
  return (await tx.all(deleteSome({ ...rows, limit: ROWS_AT_ONCE }))).length;
}

/**
 * Deletes the rows of a table that a condition selects in steps: each statement must end within a time limit, and other calls
 * run between two.
 */
export async function deleteInSteps(...[tx, rows]: Parameters<typeof deleteStep>): Promise<void> {
  while ((await deleteStep(tx, rows)) === ROWS_AT_ONCE);
}
