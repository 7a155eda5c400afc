import { sql, type Transaction } from "kysely";
import type { BulkMode } from "../sql/connections.ts";
import type { Schema } from "../sql/schema.ts";

/**
 * The memory of one sort run, in KiB, and with it of the cache: small runs fit the processor's cache and are
 * merged.
 */
const SORT_KIB = 8_192;

/** The threads that sort runs while the writing one reads on; it sorts whatever they have no time for. */
const SORT_THREADS = 4;

/** Creates SQLite's bulk mode. */
export function createBulkMode(cacheKib: number): BulkMode {
  return {
    async suspendIndexes(tx, table) {
      const { rows } = await sql<{ readonly name: string; readonly sql: string }>`
        select name, sql from sqlite_schema
        where type = 'index' and tbl_name = ${table} and sql is not null
          and sql not like 'create unique%'
      `.execute(tx);
      for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(tx);
      return async () => {
        for (const row of rows) await sql.raw(row.sql).execute(tx);
      };
    },

    async sorting(tx, run) {
      await setCache(tx, SORT_KIB);
      await sql`pragma threads = ${sql.lit(SORT_THREADS)}`.execute(tx);
      try {
        return await run();
      } finally {
        await sql`pragma threads = 0`.execute(tx);
        await setCache(tx, cacheKib);
      }
    },
  };
}

async function setCache(tx: Transaction<Schema>, kib: number): Promise<void> {
  await sql`pragma cache_size = ${sql.lit(-kib)}`.execute(tx);
}
