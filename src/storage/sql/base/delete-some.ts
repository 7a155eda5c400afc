import { type Expression, sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import { UNLOCKED } from "../../contract/write-scope.ts";
import type { Tx } from "../../db/db.ts";
import type { Connections } from "./connections.ts";
import { inTransaction } from "./in-transaction.ts";

/** The rows of one table that a step of a deletion deletes. */
export const ROWS_AT_ONCE = 500;

/** The bytes of the rows that one statement deletes at most, but for its last row: other calls wait for it. */
export const BYTES_AT_ONCE = 16 * 2 ** 20;

/** The bytes of a row of the history. */
export const HISTORY_SIZE = sql<number>`coalesce(octet_length(before), 0) + coalesce(octet_length(doc), 0)`;

/** The bytes of a row of the tables with long ones. */
export const SIZES: { readonly [Table in keyof Schema]?: Expression<number> } = {
  action_run: sql<number>`octet_length(payload)`,
  answered_request: sql<number>`octet_length(answer)`,
  audit_entry: sql<number>`octet_length(doc)`,
  history: HISTORY_SIZE,
};

/** Rows of a table to delete. */
export interface SomeRows {
  readonly table: keyof Schema;
  readonly key: readonly string[];
  readonly condition: Expression<unknown>;
  /** The column with the order of the rows, of which the first are deleted; absent: any. */
  readonly orderedBy?: string;
  readonly limit: Expression<unknown> | number;
  /** The bytes to delete, but for the last row; absent: as many as one statement may delete. */
  readonly bytes?: Expression<unknown>;
  /** Ends the query of the rows. */
  readonly end?: Expression<unknown>;
}

/**
 * Returns the statement that deletes some rows and returns one row for each. Their keys are selected first, and once:
 * PostgreSQL could run a query that skips locked rows again, and delete more than its limit.
 */
export function deleteSome(rows: SomeRows) {
  const { table, key, condition, orderedBy, limit, end = sql`` } = rows;
  const { bytes = sql.lit(BYTES_AT_ONCE) } = rows;
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const place = orderedBy === undefined ? sql`` : sql`, ${sql.ref(orderedBy)} as place`;
  const order = orderedBy === undefined ? sql`` : sql`order by place`;
  return sql<object>`
    with "some_rows" as materialized (
      select ${columns} from (
        select ${columns}, sum(size) over (${order} rows unbounded preceding) - size as earlier
        from (
          select ${columns}${place}, ${SIZES[table] ?? sql.lit(0)} as size
          from ${sql.table(table)} where ${condition} ${order} limit ${limit} ${end}
        ) as sized
      ) as summed
      where earlier < ${bytes}
    )
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

/** Deletes some rows of a table that a condition selects. Returns their number; 0: there are none left. */
export async function deleteStep(tx: Tx, rows: Omit<SomeRows, "limit">): Promise<number> {
  return (await tx.all(deleteSome({ ...rows, limit: ROWS_AT_ONCE }))).length;
}

/**
 * Deletes the rows of a table that a condition selects in steps: each statement must end within a time limit, and other calls
 * run between two.
 */
export async function deleteInSteps(...[tx, rows]: Parameters<typeof deleteStep>): Promise<void> {
  while ((await deleteStep(tx, rows)) > 0);
}
