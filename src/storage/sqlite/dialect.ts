import { type SqlBool, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { Statement } from "../db/query.ts";
import type { Dialect } from "../sql/dialect.ts";

/** The SQL specific to SQLite. */
export const SQLITE_DIALECT: Dialect = {
  // A cross join keeps the order in which tables are written.
  lookUp({ table, as = table, item, isLeft = false }) {
    const name = as === table ? sql.raw(table) : sql.raw(`${table} as ${as}`);
    return sql`${sql.raw(isLeft ? "left join" : "cross join")} ${name} on ${sql.raw(as)}.item = ${item}`;
  },
  // Its planner runs an EXISTS as written.
  fence: sql``,
  // It would look each row up in a table of its own.
  distinct: () => sql``,
  sortsByEstimate: false,
  forEach: (values, query) =>
    sql.join(
      values.map((value) => sql`select * from (${query(sql`${value}`)})`),
      sql` union all `,
    ),
  // LIKE ignores the case of ASCII letters.
  toPattern: (parts) => parts.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*"),
  matches: (column, pattern) => sql<SqlBool>`${column} glob ${pattern}`,
  toJsonArray: (values) => sql<string>`json_array(${sql.join(values)})`,
  firstInJson: (value, other) => sql`coalesce(${value}, ${other})`,

  async nextItems(tx, count) {
    const last = await findLastItem(tx);
    return Array.from({ length: count }, (_, index) => last + 1 + index);
  },

  // A transaction that writes holds the only write lock from its beginning.
  tryLockProject: async () => true,
  async lockName() {},
  skipLocked: sql``,
  holdsText: (column, text) => sql`instr(${column}, cast(${text} as blob)) > 0`,
  isRetryable: () => false,
};

const LAST_ITEM = new Statement(
  () => sql<{ readonly item: number | null }>`select max(item) as item from content`,
).bind(() => undefined);

async function findLastItem(tx: Tx): Promise<number> {
  return (await tx.first(LAST_ITEM))?.item ?? 0;
}
