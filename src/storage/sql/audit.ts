import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import type { Db, Tx } from "../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";
import type { DocumentPlace } from "../document-store.ts";
import type { AuditQuery, AuditStore } from "../store.ts";
import type { Connections } from "./connections.ts";
import { createMatch, readFiltered } from "./filtered-page.ts";
import { inTransaction } from "./in-transaction.ts";
import { readDocument } from "./stored-document.ts";
import { timeColumn } from "./times.ts";

/** An entry's columns, with the organization's id in place of its uid. */
type EntryRow = Omit<Schema["audit_entry"], "organization_uid"> & {
  readonly organizationId: string;
};

/** The uid of an organization, or of the last deleted one with the id, whose deletion is audited too. */
const uidOf = (organizationId: Operand<string>) => sql<string>`coalesce(
  (select uid from organization where id = ${organizationId}),
  (select uid from retired_counter where type = 'organization' and id = ${organizationId})
)`;

const INSERT = prepare((slot: SlotOf<EntryRow>) =>
  build.insertInto("audit_entry").values({
    organization_uid: uidOf(slot("organizationId")),
    time: slot("time"),
    id: slot("id"),
    project_id: slot("project_id"),
    account_id: slot("account_id"),
    doc: slot("doc"),
  }),
);

/** The fields whose equality in a filter is looked up in an index. */
const LOOKUPS = ["account_id", "project_id"] as const;

/** Creates the store of audit entries. */
export function createAuditStore(connections: Connections): AuditStore {
  const { read } = connections;
  return {
    async add(entry) {
      const { organizationId } = entry;
      const insert = (tx: Tx) =>
        tx.run(
          INSERT({
            organizationId,
            time: timeColumn(entry.time),
            id: entry.id,
            project_id: entry.projectId,
            account_id: entry.accountId,
            doc: toBinary(EntrySchema, entry),
          }),
        );
      // An entry that cannot be written undoes the transaction whose changes it tells of.
      if (connections.tx !== undefined) return insert(connections.tx);
      if ((await findUid(read, organizationId)) === undefined) {
        throw notFound(`organization ${organizationId}`);
      }
      await inTransaction(connections, { organizationId }, insert);
    },

    async list({ after, organizationId, ...query }) {
      const organizationUid = await findUid(read, organizationId);
      if (organizationUid === undefined) return { entries: [] };
      const start = after && { key: after.time, id: after.id };
      const { limit, budget } = query;
      const { values, next } = await readFiltered(
        read,
        { limit, ...(start && { after: start }), ...(budget && { budget }) },
        {
          select: (place, step) => selectRows({ ...query, organizationUid }, place, step),
          toValue: ({ doc }) => readDocument(EntrySchema, doc),
          sizeOf: ({ doc }) => doc.length,
          matches: createMatch(EntrySchema, query.filter, query.now),
        },
      );
      return { entries: values, ...(next && { next: { time: Number(next.key), id: next.id } }) };
    },
  };
}

function selectRows(
  { organizationUid, filter }: Pick<AuditQuery, "filter"> & { readonly organizationUid: string },
  after: DocumentPlace | undefined,
  limit: number,
) {
  let select = build
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
  return select.orderBy("time", "desc").orderBy("id").limit(limit);
}

async function findUid(db: Db, organizationId: string): Promise<string | undefined> {
  const row = await db.first(build.selectNoFrom(uidOf(organizationId).as("uid")));
  return row?.uid ?? undefined;
}
