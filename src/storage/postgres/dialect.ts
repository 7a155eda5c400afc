import { type SqlBool, sql } from "kysely";
import type { Dialect } from "../sql/dialect.ts";
import { isConflict } from "./errors.ts";
import { lockName, tryLockProject } from "./lock.ts";

/** The SQL specific to PostgreSQL. */
export const POSTGRES_DIALECT: Dialect = {
  // The planner can neither reorder it nor read the table in another way than by its key.
  lookUp({ table, as = table, item, isLeft = false }) {
    const [join, on] = isLeft ? ["left join lateral", " on true"] : ["cross join lateral", ""];
    return sql`${sql.raw(join)} (select * from ${sql.raw(table)} as own where own.item = ${item} offset 0) as ${sql.raw(as + on)}`;
  },
  fence: sql`offset 0`,
  // An import into an empty database creates the key that an insert would look at afterwards.
  distinct: (columns) => sql`distinct on (${columns})`,
  toPattern: (parts) => parts.map((part) => part.replace(/[\\%_]/g, "\\$&")).join("%"),
  matches: (column, pattern) => sql<SqlBool>`${column} like ${pattern}`,
  // A function takes at most 100 values.
  toJsonArray(values) {
    const items = values.map((value) => sql`to_json(${value})`);
    return sql<string>`cast(array_to_json(array[${sql.join(items)}]) as text)`;
  },
  // A value has the type of its column, and so both are JSON first.
  firstInJson: (value, other) =>
    sql`coalesce(to_json((select ${value})), to_json(cast(${other} as text)))`,
  sortsByEstimate: true,
  forEach(values, query) {
    const rows = sql.join(values.map((value) => sql`(${value})`));
    return sql`select each.* from (values ${rows}) as one (value) cross join lateral (${query(sql`one.value`)}) as each`;
  },
  skipLocked: sql`for update skip locked`,
  holdsText: (column, text) => sql`position(${Buffer.from(text)}::bytea in ${column}) > 0`,

  // Writers of one item have one number each, and an import of many excludes every other writer.
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
