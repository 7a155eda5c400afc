import { toBinary } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import type { DocumentPlace } from "../document-store.ts";
import type { AuditQuery, AuditStore } from "../store.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import type { Connections, Schema } from "./schema.ts";
import { readDocument } from "./stored-document.ts";
import { timeColumn } from "./times.ts";

/** The fields whose equality in a filter is looked up in an index. */
const LOOKUPS = ["account_id", "project_id"] as const;

/** Creates the store of audit entries. */
export function createAuditStore({ read, write }: Connections): AuditStore {
  return {
    async add(entry) {
      await write
        .insertInto("audit_entry")
        .values({
          organization_id: entry.organizationId,
          time: timeColumn(entry.time),
          id: entry.id,
          project_id: entry.projectId,
          account_id: entry.accountId,
          doc: toBinary(EntrySchema, entry),
        })
        .execute();
    },

    async list({ after, ...query }) {
      const start = after && { key: after.time, id: after.id };
      const { limit, budget } = query;
      const { values, next } = await readFiltered(
        read,
        { limit, ...(start && { after: start }), ...(budget && { budget }) },
        {
          select: (db, place, step) => selectRows(db, query, place, step),
          toValue: ({ doc }) => readDocument(EntrySchema, doc),
          matches: createMatch(EntrySchema, query.filter, query.now),
        },
      );
      return { entries: values, ...(next && { next: { time: Number(next.key), id: next.id } }) };
    },
  };
}

async function selectRows(
  db: Kysely<Schema>,
  { organizationId, filter }: Omit<AuditQuery, "after">,
  after: DocumentPlace | undefined,
  limit: number,
) {
  let select = db
    .selectFrom("audit_entry")
    .select(["time as order_key", "id", "doc"])
    .where("organization_id", "=", organizationId);
  for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
    const column = LOOKUPS.find((it) => it === path);
    if (column !== undefined) select = select.where(column, "=", value);
  }
  if (after !== undefined) {
    const time = Number(after.key);
    select = select.where((eb) =>
      eb.or([eb("time", "<", time), eb.and([eb("time", "=", time), eb("id", ">", after.id)])]),
    );
  }
  return await select.orderBy("time", "desc").orderBy("id").limit(limit).execute();
}
