import type Database from "better-sqlite3";
import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { Schema } from "../db/schema.ts";
import type { BulkMode } from "../sql/connections.ts";
import { FEW_ITEMS } from "../sql/records/import-content.ts";
import { isBusy, translateErrors } from "./errors.ts";

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
    async suspendIndexes(tx) {
      const resumes = [
        await suspendIndexesOf(tx, "content"),
        await suspendIndexesOf(tx, "content_word"),
      ];
      return {
        async resumeItems() {},
        async resume() {
          for (const resume of resumes) await resume();
        },
      };
    },

    async sorting(tx, run) {
      await setCache(tx, SORT_KIB);
      await tx.run(sql`pragma threads = ${sql.lit(SORT_THREADS)}`);
      try {
        return await run();
      } finally {
        await tx.run(sql`pragma threads = 0`);
        await setCache(tx, cacheKib);
      }
    },
  };
}

/** Drops the secondary indexes of a table, but unique ones; the returned function recreates them. */
async function suspendIndexesOf(tx: Tx, table: keyof Schema): Promise<() => Promise<void>> {
  const rows = await tx.all(sql<{ readonly name: string; readonly sql: string }>`
    select name, sql from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql is not null
      and sql not like 'create unique%'
  `);
  for (const { name } of rows) await tx.run(sql`drop index ${sql.id(name)}`);
  return async () => {
    for (const row of rows) await tx.run(sql.raw(row.sql));
  };
}

/**
 * Makes a database with few items write each page once, into the file itself, rather than to a log first, until it
 * is opened again; meanwhile a transaction excludes all readers. False, and nothing changes, if the database has
 * more items or another connection has it open.
 */
export function takeAlone(database: Database.Database): boolean {
  const items = database.prepare("select 1 from content limit ?").all(FEW_ITEMS);
  if (items.length === FEW_ITEMS) return false;
  try {
    translateErrors(() => database.pragma("journal_mode = DELETE"));
    return true;
  } catch (fault) {
    if (isBusy(fault)) return false;
    throw fault;
  }
}

async function setCache(tx: Tx, kib: number): Promise<void> {
  await tx.run(sql`pragma cache_size = ${sql.lit(-kib)}`);
}
