import type Database from "better-sqlite3";
import { sql, type Transaction } from "kysely";
import type { BulkMode } from "../sql/connections.ts";
import type { Schema } from "../sql/schema.ts";
import { FEW_ITEMS } from "../sql/transfer/content-import.ts";
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

/** Drops the secondary indexes of a table, but unique ones; the returned function recreates them. */
async function suspendIndexesOf(
  tx: Transaction<Schema>,
  table: keyof Schema,
): Promise<() => Promise<void>> {
  const { rows } = await sql<{ readonly name: string; readonly sql: string }>`
    select name, sql from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql is not null
      and sql not like 'create unique%'
  `.execute(tx);
  for (const { name } of rows) await sql`drop index ${sql.id(name)}`.execute(tx);
  return async () => {
    for (const row of rows) await sql.raw(row.sql).execute(tx);
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

async function setCache(tx: Transaction<Schema>, kib: number): Promise<void> {
  await sql`pragma cache_size = ${sql.lit(-kib)}`.execute(tx);
}
