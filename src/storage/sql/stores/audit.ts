import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { type Entry, EntrySchema } from "../../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { settleAll } from "../../../domain/base/settle-all.ts";
import type { AuditQuery, AuditStore } from "../../contract/audit.ts";
import type { DocumentPage } from "../../contract/document-store.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../../db/query.ts";
import { dateToMicros, microsToDate, timeColumn } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { prune } from "../base/delete-some.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { readDocument } from "../base/stored-document.ts";

/** An entry's columns, with the organization's id instead of its uid. */
type EntryRow = Omit<Schema["audit_entry"], "organization_uid"> & {
  readonly organizationId: string;
};

/** The uid of an organization, or of the last deleted one with the id: its deletion is audited too. */
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

/** Maximum number of organizations that one call of `prune` examines. */
const MOST_EXAMINED = 50;

/** The audit log. */
export class SqlAuditStore extends ConnectedStore implements AuditStore {
  async add(...entries: readonly Entry[]): Promise<void> {
    const { connections } = this;
    const [first] = entries;
    if (first === undefined) return;
    const { organizationId } = first;
    const insert = async (tx: Tx) => {
      await settleAll(entries.map((entry) => tx.run(INSERT(toRow(entry)))));
    };
    // If an entry cannot be written, the transaction with its changes fails.
    if (connections.tx !== undefined) return insert(connections.tx);
    if ((await findUid(this.read, organizationId)) === undefined) {
      throw notFound("organization", organizationId);
    }
    await inTransaction(connections, { organizationId }, insert);
  }

  async list({ organizationId, ...query }: AuditQuery): Promise<DocumentPage<Entry>> {
    const organizationUid = await findUid(this.read, organizationId);
    if (organizationUid === undefined) return { values: [] };
    return listFiltered(
      this.read,
      { ...query, order: { field: "time", direction: "desc" } },
      build
        .selectFrom("audit_entry")
        .select(["id", "doc"])
        .where("organization_uid", "=", organizationUid),
      {
        table: "audit_entry",
        lookups: ["account_id", "project_id"],
        schema: EntrySchema,
        toValue: ({ doc }) => readDocument(EntrySchema, doc),
      },
    );
  }

  async findNewest(): Promise<Date | undefined> {
    const [row] = await this.read.all(SELECT_NEWEST);
    return row?.time == null ? undefined : microsToDate(Number(row.time));
  }

  async prune(before: Date, after: string | undefined, limit: number): Promise<string | undefined> {
    let done = after ?? "";
    for (let examined = 0; examined < MOST_EXAMINED; examined += 1) {
      const [next] = await this.read.all(
        build
          .selectFrom("audit_entry")
          .select("organization_uid")
          .where("organization_uid", ">", done)
          .orderBy("organization_uid")
          .limit(1),
      );
      if (next === undefined) return undefined;
      const { organization_uid: uid } = next;
      const pruned = await prune(this.connections, {
        table: "audit_entry",
        key: ["organization_uid", "time", "id"],
        condition: sql`organization_uid = ${uid} and time < ${dateToMicros(before)}`,
        orderedBy: "time",
        limit,
      });
      if (pruned > 0) return done;
      done = uid;
    }
    return done;
  }
}

/** Selects the newest time of all organizations by a seek for each, in the order of the key. */
const SELECT_NEWEST = sql<{ readonly time: number | null }>`
  with recursive audited (uid) as (
    select min(organization_uid) from audit_entry
    union all
    select (select min(organization_uid) from audit_entry where organization_uid > uid)
    from audited where uid is not null
  )
  select max((
    select time from audit_entry where organization_uid = uid order by time desc limit 1
  )) as time
  from audited
`;

function toRow(entry: Entry): EntryRow {
  return {
    organizationId: entry.organizationId,
    time: timeColumn(entry.time),
    id: entry.id,
    project_id: entry.projectId,
    account_id: entry.accountId,
    doc: toBinary(EntrySchema, entry),
  };
}

async function findUid(db: Db, organizationId: string): Promise<string | undefined> {
  const [row] = await db.all(build.selectNoFrom(uidOf(organizationId).as("uid")));
  return row?.uid ?? undefined;
}
