import type { DescMessage, Message } from "@bufbuild/protobuf";
import { type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { readEqualities } from "../../domain/kql/index.ts";
import type { Db } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { DocumentTableName, Schema } from "../db/schema.ts";
import type { DocumentPage, DocumentPlace, DocumentQuery } from "../document-store.ts";
import { documentKindOf, parentColumnOf, type TableType, tableOf } from "./document-kinds.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import type { StoredRow } from "./stored-document.ts";
import { UNSET_TIME } from "./times.ts";
import type { usageSelection } from "./usage.ts";

/** A table of documents to list. */
export interface ListedTable<T> {
  readonly type: TableType;
  readonly organizationId: string;
  readonly schema: DescMessage;
  /** The columns that `toValue` reads besides the document. */
  readonly columns: ReturnType<typeof usageSelection> | readonly [];
  toValue(row: Pick<StoredRow, "doc">): T;
}

/** Lists documents of one kind in an order of their columns, testing the filter on each. */
export async function listDocuments<T extends Message>(
  read: Db,
  table: ListedTable<T>,
  query: DocumentQuery,
): Promise<DocumentPage<T>> {
  if (query.parentIds.length === 0) return { values: [] };
  return readFiltered(read, query, {
    select: (after, limit) => selectRows(table, { ...query, ...(after && { after }) }, limit),
    toValue: (row) => table.toValue(row),
    sizeOf: ({ doc }) => doc.length,
    matches: createMatch(table.schema, query.filter, query.now),
  });
}

function selectRows(
  { type, organizationId, columns }: ListedTable<unknown>,
  { parentIds, filter, order, after }: DocumentQuery,
  limit: number,
) {
  const kind = documentKindOf(type);
  const column =
    order.field === "id" ? undefined : (kind.orderColumns?.[order.field] ?? order.field);
  const key = column === undefined ? sql.lit(null) : sql.ref(column);
  const parent = parentColumnOf(type);
  let select = build
    .selectFrom(tableOf(type))
    .select(["id", "doc", sql<number | null>`${key}`.as("order_key")])
    .$if(columns.length > 0, (it) => it.select(columns as never))
    .where(sql.ref(parent), "in", [...parentIds]);
  // The ids of other parents are unique only in their organization.
  if (!["id", "organization_id", "project_id"].includes(parent)) {
    select = select.where("organization_id", "=", organizationId);
  }
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    const lookup = kind.lookups?.[path];
    if (lookup !== undefined) select = select.where(sql.ref(lookup), "=", value);
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
  eb: ExpressionBuilder<Schema, DocumentTableName>,
  column: string | undefined,
  { direction }: DocumentQuery["order"],
  { key, id }: DocumentPlace,
) {
  const further = direction === "asc" ? ">" : "<";
  if (column === undefined) return eb("id", further, id);
  const ref = sql.ref<number>(column);
  const isUnset = key === UNSET_TIME;
  const tie = eb.and([eb(ref, "=", key as number), eb("id", ">", id)]);
  if (isUnset) return tie;
  const value = sql<SqlBool>`${ref} <> ${sql.lit(UNSET_TIME)}`;
  return eb.or([tie, eb.and([eb(ref, further, key as number), value]), eb(ref, "=", UNSET_TIME)]);
}
