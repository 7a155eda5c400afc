import { toBinary } from "@bufbuild/protobuf";
import type { Kysely } from "kysely";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import type { DocumentPlace } from "../document-store.ts";
import type { AuditQuery, AuditStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import { inTransaction } from "./in-transaction.ts";
import type { Schema } from "./schema.ts";
import { createStatement } from "./statement.ts";
import { readDocument } from "./stored-document.ts";
import { timeColumn } from "./times.ts";

const INSERT = createStatement((db, entry: Schema["audit_entry"]) =>
  db.insertInto("audit_entry").values({
    organization_uid: entry.organization_uid,
    time: entry.time,
    id: entry.id,
    project_id: entry.project_id,
    account_id: entry.account_id,
    doc: entry.doc,
  }),
);

const SELECT_UID = createStatement((db, { id }: { readonly id: string }) =>
  db.selectFrom("organization").select("uid").where("id", "=", id),
);

/** The fields whose equality in a filter is looked up in an index. */
const LOOKUPS = ["account_id", "project_id"] as const;

/** Creates the store of audit entries. */
export function createAuditStore(connections: Connections): AuditStore {
  const { read } = connections;
  return {
    add: (entry) =>
      inTransaction(connections, { organizationId: entry.organizationId }, async (tx) => {
        await INSERT(tx, {
          organization_uid: await getUid(tx, entry.organizationId),
          time: timeColumn(entry.time),
          id: entry.id,
          project_id: entry.projectId,
          account_id: entry.accountId,
          doc: toBinary(EntrySchema, entry),
        });
      }),

    async list({ after, organizationId, ...query }) {
      const organizationUid = await findUid(read, organizationId);
      if (organizationUid === undefined) return { entries: [] };
      const start = after && { key: after.time, id: after.id };
      const { limit, budget } = query;
      const { values, next } = await readFiltered(
        read,
        { limit, ...(start && { after: start }), ...(budget && { budget }) },
        {
          select: (place, step) => selectRows(read, { ...query, organizationUid }, place, step),
          toValue: ({ doc }) => readDocument(EntrySchema, doc),
          matches: createMatch(EntrySchema, query.filter, query.now),
        },
      );
      return { entries: values, ...(next && { next: { time: Number(next.key), id: next.id } }) };
    },
  };
}

function selectRows(
  db: Kysely<Schema>,
  { organizationUid, filter }: Pick<AuditQuery, "filter"> & { readonly organizationUid: string },
  after: DocumentPlace | undefined,
  limit: number,
) {
  let select = db
    .selectFrom("audit_entry")
    .select(["time as order_key", "id", "doc"])
    .where("organization_uid", "=", organizationUid);
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
  return select.orderBy("time", "desc").orderBy("id").limit(limit).compile();
}

async function getUid(db: Kysely<Schema>, organizationId: string): Promise<string> {
  const uid = await findUid(db, organizationId);
  if (uid === undefined) throw notFound(`organization ${organizationId}`);
  return uid;
}

/** Finds the uid of an organization, or of the last deleted one with the id, whose deletion is audited too. */
async function findUid(db: Kysely<Schema>, organizationId: string): Promise<string | undefined> {
  const [present] = await SELECT_UID(db, { id: organizationId });
  if (present !== undefined) return present.uid;
  const last = await db
    .selectFrom("retired_counter")
    .select("uid")
    .where("type", "=", "organization")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return last?.uid;
}
