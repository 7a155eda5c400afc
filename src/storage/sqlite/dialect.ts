import type { Dialect } from "../sql/dialect.ts";

/** What SQLite says its own way. */
export const SQLITE_DIALECT: Dialect = {
  // A transaction that writes holds the only write lock from its beginning.
  async lock() {},
  isRetryable: () => false,
};
