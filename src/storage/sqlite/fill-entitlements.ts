import type Database from "better-sqlite3";
import { TransactionSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { readDocument } from "../sql/documents.ts";
import { toEntitlementRows } from "../sql/entitlements.ts";

/** How many transactions are in memory at a time. */
const CHUNK = 1_000;

/**
 * Writes the entitlements of the transactions that were there before the table: what they give lies in
 * their documents, which SQL cannot read.
 */
export function fillEntitlements(database: Database.Database): void {
  const select = database.prepare<[string, number], { id: string; doc: Uint8Array }>(
    "SELECT id, doc FROM transaction_record WHERE id > ? ORDER BY id LIMIT ?",
  );
  const insert = database.prepare(`
    INSERT INTO entitlement (project_id, user_id, start_time, id, end_time, offer_id)
    VALUES (@project_id, @user_id, @start_time, @id, @end_time, @offer_id)
  `);
  let last = "";
  for (;;) {
    const rows = select.all(last, CHUNK);
    for (const { id, doc } of rows) {
      for (const row of toEntitlementRows(readDocument(TransactionSchema, doc))) insert.run(row);
      last = id;
    }
    if (rows.length < CHUNK) return;
  }
}
