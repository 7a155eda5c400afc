import type { Transaction } from "kysely";
import type { WriteScope } from "../write-scope.ts";
import type { Schema } from "./schema.ts";

/** What engines say differently. The queries of this folder hold the SQL that they have in common. */
export interface Dialect {
  /**
   * Locks a scope until the transaction ends, after every transaction that has locked a part of it; the
   * statements that follow see what those wrote.
   */
  lock(tx: Transaction<Schema>, scope: WriteScope): Promise<void>;
  /** Tells whether a transaction failed because of others, so that it may succeed when tried again. */
  isRetryable(error: unknown): boolean;
}
