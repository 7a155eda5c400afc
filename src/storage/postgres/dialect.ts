import { ALWAYS, raw, sql } from "../db/sql-text.ts";
import type { Dialect } from "../sql/base/dialect.ts";
import { isConflict } from "./errors.ts";
import { lockName, tryLockProject } from "./lock.ts";

/** The SQL specific to PostgreSQL. */
export const POSTGRES_DIALECT: Dialect = {
  // The planner can neither reorder it nor read the table other than by its key.
  lookUp({ table, as = table, item, where = ALWAYS, isLeft = false }) {
    const [join, on] = isLeft ? ["left join lateral", " on true"] : ["cross join lateral", ""];
    return sql`${raw(join)} (select * from ${raw(table)} as own where own.item = ${item} and ${where} offset 0) as ${raw(as + on)}`;
  },
  fence: sql`offset 0`,
  // An import into an empty database creates the key only after its inserts.
  distinct: (columns) => sql`distinct on (${columns})`,
  matches(column, parts) {
    const pattern = parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%");
    return sql`${column} like ${pattern}`;
  },
  // A list of parameters would be searched from its first text for each row. The planner hashes the texts, because it
  // cannot join them: the condition is in an expression.
  isListed: (column, texts) =>
    sql`(${column} in (select json_array_elements_text(${JSON.stringify(texts)}::json))) is true`,
  skipLocked: sql`for update skip locked`,
  holdsText: (column, text) => sql`position(${Buffer.from(text)}::bytea in ${raw(column)}) > 0`,
  indexIn: (array, text) =>
    `(select number - 1 from json_array_elements_text(${array}::json) with ordinality as list (value, number) where value = ${text})`,

  // A writer of one item reserves one number, and an import of many items excludes every other writer.
  async nextItems(tx, count) {
    const rows = await tx.all(sql<{ readonly item: number }>`
      select nextval('content_item') as item from generate_series(1, ${count})
    `);
    return rows.map(({ item }) => item);
  },

  tryLockProject,
  lockName,
  isRetryable: isConflict,
};
