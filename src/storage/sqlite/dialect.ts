import { ALWAYS, raw, sql } from "../db/sql-text.ts";
import type { Dialect } from "../sql/base/dialect.ts";

/** The SQL specific to SQLite. */
export const SQLITE_DIALECT: Dialect = {
  // A cross join keeps the written order of tables.
  lookUp({ table, as = table, item, where = ALWAYS, isLeft = false }) {
    return sql`${raw(`${isLeft ? "left" : "cross"} join ${table} as ${as} on ${as}.item`)} = ${item} and ${where}`;
  },
  // Its planner runs an EXISTS as written.
  fence: sql``,
  // The planner would look each row up in a table of its own.
  distinct: () => sql``,
  // LIKE ignores the case of ASCII letters.
  matches(column, parts) {
    const pattern = parts.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*");
    return sql`${column} glob ${pattern}`;
  },

  async nextItems(tx, count) {
    const [last] = await tx.all(sql<{ readonly item: number | null }>`
      select max(item) as item from content
    `);
    return Array.from({ length: count }, (_, index) => (last?.item ?? 0) + 1 + index);
  },

  // A transaction that writes has the only write lock from its beginning.
  tryLockProject: async () => true,
  async lockName() {},
  isListed: (column, texts) =>
    sql`${column} in (select value from json_each(${JSON.stringify(texts)}))`,
  skipLocked: sql``,
  holdsText: (column, text) => sql`instr(${raw(column)}, cast(${text} as blob)) > 0`,
  indexIn: (array, text) => `(select key from json_each(${array}) where value = ${text})`,
  isRetryable: () => false,
};
