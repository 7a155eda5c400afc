import type Database from "better-sqlite3";
import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { BulkMode } from "../sql/base/connections.ts";
import { FEW_ITEMS } from "../sql/records/import-content.ts";
import { isBusy, translateErrors } from "./errors.ts";

/**
 * The memory of one sort run, and of the cache with it, in KiB: small runs fit the processor's cache and are merged.
 */
const SORT_KIB = 8_192;

/** The number of threads that sort runs while the writing thread continues reading; that thread sorts the rest. */
const SORT_THREADS = 4;

/** Writes very many rows: indexes are built and posting lists sorted in separate threads. */
export class SqliteBulkMode implements BulkMode {
  readonly #cacheKib: number;

  /** `cacheKib` is the page cache of the connection. */
  constructor(cacheKib: number) {
    this.#cacheKib = cacheKib;
  }

  /** Drops secondary indexes, except unique ones. */
  async suspendIndexes(tx: Tx): Promise<() => Promise<void>> {
    const rows = await tx.all(sql<{ readonly name: string; readonly sql: string }>`
      select name, sql from sqlite_schema
      where type = 'index' and tbl_name in ('content', 'content_word') and sql is not null
        and sql not like 'create unique%'
    `);
    for (const { name } of rows) await tx.run(sql`drop index ${sql.id(name)}`);
    return async () => {
      for (const row of rows) await tx.run(sql.raw(row.sql));
    };
  }

  async sorting<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
    await tx.run(sql`pragma cache_size = ${sql.lit(-SORT_KIB)}`);
    await tx.run(sql`pragma threads = ${sql.lit(SORT_THREADS)}`);
    const result = await run();
    // After a failure, the load has ended, and its connection is closed.
    await tx.run(sql`pragma threads = 0`);
    await tx.run(sql`pragma cache_size = ${sql.lit(-this.#cacheKib)}`);
    return result;
  }
}

/**
 * Makes a database with few items write each page once, into the file itself instead of a log first, until it is
 * opened again. Until then a transaction excludes all readers. False, without any change, if the database has more
 * items or another connection has it open.
 */
export function takeAlone(database: Database.Database): boolean {
  const items = database.prepare("select 1 from content limit ?").all(FEW_ITEMS);
  if (items.length === FEW_ITEMS) return false;
  try {
    translateErrors(() => database.pragma("journal_mode = DELETE"));
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
