import { type Expression, sql } from "kysely";
import type { Schema } from "../../../gen/tables.ts";

/**
 * Deletes the rows of a table whose keys a subquery with a limit selects, and returns one row for each. The subquery is
 * materialized: PostgreSQL could run one that skips locked rows again, and delete more than its limit.
 */
export function deleteSome(table: keyof Schema, key: readonly string[], some: Expression<unknown>) {
  const columns = sql.join(key.map((name) => sql.ref(name)));
  return sql<object>`
    with "some_rows" as materialized ${some}
    delete from ${sql.table(table)} where (${columns}) in (select ${columns} from "some_rows") returning 1
  `;
}
