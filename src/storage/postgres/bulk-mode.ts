import { CompiledQuery, sql } from "kysely";
import type { BulkMode } from "../sql/connections.ts";
import { createCopyInsert } from "./copy-insert.ts";
import { setStatementTimeout } from "./lock.ts";
import { type RunStatement, suspendIndexes, suspendKeys } from "./suspend-indexes.ts";

/** The time for a statement of an import, in milliseconds. */
const BULK_TIMEOUT_MS = 3_600_000;

/** Writes rows by COPY, and indexes of a database without content once it is filled. */
export const BULK_MODE: BulkMode = {
  insert: createCopyInsert,

  async suspendIndexes(tx) {
    const { rows } = await sql`select from content limit 1`.execute(tx);
    // Readers of what is stored would wait for indexes that are dropped.
    if (rows.length > 0) return { async resumeItems() {}, async resume() {} };
    const run: RunStatement = (text, parameters = []) =>
      tx.executeQuery(CompiledQuery.raw(text, [...parameters]));
    const resumeItems = await suspendKeys(run, ["content_leaf", "content_node"], "primary");
    const resumes = [
      await suspendIndexes(run, ["content", "content_search"]),
      await suspendKeys(run, ["content_search", "content_value"], "primary"),
      await suspendKeys(run, ["content"], "foreign"),
    ];
    return {
      resumeItems,
      async resume() {
        for (const resume of resumes) await resume();
      },
    };
  },

  async sorting(tx, run) {
    await setStatementTimeout(tx, BULK_TIMEOUT_MS);
    await sql`set local work_mem = '64MB'`.execute(tx);
    await sql`set local maintenance_work_mem = '256MB'`.execute(tx);
    return run();
  },
};
