import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { BulkMode, SuspendedIndexes } from "../sql/connections.ts";
import { createCopyInsert } from "./copy-insert.ts";
import { toPostgres } from "./postgres-transaction.ts";
import { type RunStatement, suspendIndexes, suspendKeys } from "./suspend-indexes.ts";

/** The time for a statement of an import, in milliseconds. */
const BULK_TIMEOUT_MS = 3_600_000;

/** Writes rows by COPY. */
export const BULK_MODE: BulkMode = {
  insert: createCopyInsert,

  // Readers would wait for indexes that are dropped.
  suspendIndexes: async () => ({ async resumeItems() {}, async resume() {} }),

  async sorting(tx, run) {
    toPostgres(tx).timeoutMs = BULK_TIMEOUT_MS;
    await tx.run(sql`set local work_mem = '64MB'`);
    await tx.run(sql`set local maintenance_work_mem = '256MB'`);
    return run();
  },
};

/**
 * Creates the bulk mode of a store that only an import uses: a database with few items to which no other process is
 * connected gets its indexes once it is filled. `findOwn` finds the process of a connection of the store.
 */
export function createBulkMode(findOwn: () => Promise<number>): BulkMode {
  return {
    ...BULK_MODE,
    suspendIndexes: async (tx) =>
      (await isAlone(tx, await findOwn())) ? suspend(tx) : BULK_MODE.suspendIndexes(tx),
  };
}

/** Reports whether no other process is connected. */
async function isAlone(tx: Tx, own: number): Promise<boolean> {
  const rows = await tx.all(sql`
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid not in (pg_backend_pid(), ${own})
    limit 1
  `);
  return rows.length === 0;
}

async function suspend(tx: Tx): Promise<SuspendedIndexes> {
  const run: RunStatement = (text, parameters = []) => toPostgres(tx).query(text, parameters);
  const resumeItems = await suspendKeys(run, ["content_leaf"], "primary");
  const resumes = [
    await suspendIndexes(run, ["content", "content_word"]),
    await suspendKeys(run, ["content_value", "content_word"], "primary"),
    await suspendKeys(run, ["content"], "foreign"),
  ];
  return {
    resumeItems,
    async resume() {
      for (const resume of resumes) await resume();
    },
  };
}
