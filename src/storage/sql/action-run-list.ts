import { sql } from "kysely";
import {
  type ActionRun,
  ActionRunSchema,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import type { Db } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";
import type { DocumentPage, DocumentPlace, DocumentQuery } from "../document-store.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import { readDocument } from "./stored-document.ts";
import { toSenderId } from "./webhooks.ts";

/** The fields whose equality in a filter is looked up in an index, with the column and its value. */
const LOOKUPS: Readonly<Record<string, (id: string) => [column: keyof Columns, value: string]>> = {
  annotation_id: (id) => ["annotation_id", id],
  action_id: (id) => ["action_id", id],
  webhook_id: (id) => ["action_id", toSenderId(id)],
};

type Columns = Pick<Schema["action_run"], "annotation_id" | "action_id">;

/** Lists runs of projects, testing the filter on each. */
export async function listActionRuns(
  read: Db,
  query: DocumentQuery,
): Promise<DocumentPage<ActionRun>> {
  return await readFiltered(read, query, {
    select: (after, limit) => selectRows(query, after, limit),
    toValue: ({ doc }) => readDocument(ActionRunSchema, doc),
    sizeOf: ({ doc }) => doc.length,
    matches: createMatch(ActionRunSchema, query.filter, query.now),
  });
}

function selectRows(
  { parentIds, filter, order }: DocumentQuery,
  after: DocumentPlace | undefined,
  limit: number,
) {
  const { direction } = order;
  const further = direction === "asc" ? ">" : "<";
  const key = order.field === "id" ? sql.lit(null) : sql.ref("create_time");
  let select = build
    .selectFrom("action_run")
    .select(["id", "doc", sql<number | null>`${key}`.as("order_key")])
    .where("project_id", "in", [...parentIds]);
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    // An empty id is that of none, which no index finds: the filter tests it.
    const lookup =
      value === "" || !Object.hasOwn(LOOKUPS, path) ? undefined : LOOKUPS[path]?.(value);
    if (lookup !== undefined) select = select.where(lookup[0], "=", lookup[1]);
  }
  if (order.field === "id") {
    if (after !== undefined) select = select.where("id", further, after.id);
    return select.orderBy("id", direction).limit(limit);
  }
  if (after !== undefined) {
    const time = Number(after.key);
    select = select.where((eb) =>
      eb.or([
        eb("create_time", further, time),
        eb.and([eb("create_time", "=", time), eb("id", ">", after.id)]),
      ]),
    );
  }
  return select.orderBy("create_time", direction).orderBy("id").limit(limit);
}
