import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { KINDS } from "../../domain/kinds.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import type { Db } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";
import type {
  DocumentMessages,
  DocumentPage,
  DocumentPlace,
  DocumentQuery,
} from "../document-store.ts";
import { documentKindOf, parentColumnOf, type TableType } from "./document-kinds.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import { type Counter, isCounter } from "./revisions.ts";
import { readDocument } from "./stored-document.ts";
import { UNSET_TIME } from "./times.ts";
import { hasUsage, usageSelection, withUsage } from "./usage.ts";

/** Lists documents of one kind in an order of their columns, testing the filter on each. */
export async function listDocuments<Type extends TableType>(
  read: Db,
  type: Type,
  organizationId: string,
  query: DocumentQuery,
): Promise<DocumentPage<DocumentMessages[Type]>> {
  const { schema } = KINDS[type];
  if (query.parentIds.length === 0) return { values: [] };
  return readFiltered(read, query, {
    select: (after, limit) =>
      selectRows(type, organizationId, { ...query, ...(after && { after }) }, limit),
    toValue(row) {
      const value = readDocument(schema, row.doc);
      return (hasUsage(value) ? withUsage(value, row) : value) as DocumentMessages[Type];
    },
    sizeOf: ({ doc }) => doc.length,
    matches: createMatch(schema, query.filter, query.now),
  });
}

type Row = "id" | "create_time" | "doc";

function selectRows(
  type: TableType,
  organizationId: string,
  { parentIds, filter, order, after }: DocumentQuery,
  limit: number,
) {
  const kind = documentKindOf(type);
  // The tables share these columns; naming one table provides their types.
  const table = kind.table as "video";
  const column =
    order.field === "id" ? undefined : (kind.orderColumns?.[order.field] ?? order.field);
  const key = column === undefined ? sql.lit(null) : sql.ref(column);
  const parent = parentColumnOf(type);
  let select = build
    .selectFrom(table)
    .select(["id", "doc", sql<number | null>`${key}`.as("order_key")])
    .$if(isCounter(type), (it) => it.select(usageSelection(type as Counter) as never))
    .where(parent as "project_id", "in", [...parentIds]);
  // The ids of other parents are unique only in their organization.
  if (!["id", "organization_id", "project_id"].includes(parent)) {
    select = select.where("organization_id", "=", organizationId);
  }
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    const lookup = kind.lookups?.[path];
    if (lookup !== undefined) select = select.where(lookup as "id", "=", value);
  }
  if (after !== undefined) select = select.where((eb) => isBehind(eb, column, order, after));
  if (column !== undefined) {
    // Unset values come last in both directions.
    select = select
      .orderBy(sql`${sql.ref(column)} = ${sql.lit(UNSET_TIME)}`)
      .orderBy(sql.ref(column), order.direction);
  }
  return select.orderBy("id", column === undefined ? order.direction : "asc").limit(limit);
}

function isBehind(
  eb: ExpressionBuilder<Schema, "video">,
  column: string | undefined,
  { direction }: DocumentQuery["order"],
  { key, id }: DocumentPlace,
) {
  const further = direction === "asc" ? ">" : "<";
  if (column === undefined) return eb("id", further, id);
  const ref = column as Row & "create_time";
  const isUnset = key === UNSET_TIME;
  const tie = eb.and([eb(ref, "=", key as number), eb("id", ">", id)]);
  if (isUnset) return tie;
  const value = sql<SqlBool>`${sql.ref(column)} <> ${sql.lit(UNSET_TIME)}`;
  return eb.or([tie, eb.and([eb(ref, further, key as number), value]), eb(ref, "=", UNSET_TIME)]);
}
