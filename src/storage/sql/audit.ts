import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { type Entry, EntrySchema } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { Schema } from "../../../gen/tables.ts";
import { sizeOfDocument } from "../../domain/base/cut-page.ts";
import { notFound } from "../../domain/base/errors.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { KqlNode } from "../../domain/kql/index.ts";
import type { Db, Tx } from "../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../db/query.ts";
import { UNLOCKED } from "../write-scope.ts";
import { ConnectedStore } from "./connections.ts";
import { listFiltered } from "./filtered-page.ts";
import { inTransaction, settleAll } from "./in-transaction.ts";
import { readDocument } from "./stored-document.ts";
import { dateToMicros, microsToDate, timeColumn } from "./times.ts";

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

/** Selects the audit entries to list. */
export interface AuditQuery {
  readonly organizationId: string;
  /** Filters the entry's JSON, with proto field names; absent: every entry matches. */
  readonly filter?: KqlNode;
  readonly limit: number;
  readonly after?: AuditPlace;
  readonly now: Date;
  /** The budget of the request; absent: the list gets its own. */
  readonly budget?: WorkBudget;
}

/** A place in the order of entries: newest first, then id. */
export interface AuditPlace {
  /** Microseconds since 1970. */
  readonly time: number;
  readonly id: string;
}

/** A page of audit entries, which may be short even if more follow. */
export interface AuditPage {
  readonly entries: readonly Entry[];
  readonly next?: AuditPlace;
}

/** The audit log. */
export class AuditStore extends ConnectedStore {
  /** Adds entries to an organization, or to the last deleted one that had its id. */
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

  /**
   * Lists the entries of the organization that has an id or was the last to have it. Newest first, ties by id;
   * entries of earlier organizations with the id are excluded.
   */
  async list({ after, organizationId, ...query }: AuditQuery): Promise<AuditPage> {
    const organizationUid = await findUid(this.read, organizationId);
    if (organizationUid === undefined) return { entries: [] };
    const start = after && { key: after.time, id: after.id };
    const order = { field: "time", direction: "desc" } as const;
    const { values, next } = await listFiltered(
      this.read,
      { ...query, order, ...(start && { after: start }) },
      build
        .selectFrom("audit_entry")
        .select(["id", "doc"])
        .where("organization_uid", "=", organizationUid),
      {
        table: "audit_entry",
        lookups: ["account_id", "project_id"],
        schema: EntrySchema,
        toValue: ({ doc }) => readDocument(EntrySchema, doc),
        sizeOf: sizeOfDocument,
      },
    );
    return { entries: values, ...(next && { next: { time: Number(next.key), id: next.id } }) };
  }

  /** Finds the time of the newest entry of all organizations; undefined without entries. */
  async findNewest(): Promise<Date | undefined> {
    const row = await this.read.first(SELECT_NEWEST);
    return row?.time == null ? undefined : microsToDate(Number(row.time));
  }

  /**
   * Deletes at most `limit` entries of one organization older than a time: the next one, by uid, that has such entries.
   * Examines at most {@link MOST_EXAMINED} organizations. Returns the last uid that is done; undefined: all are.
   */
  async prune(before: Date, after: string | undefined, limit: number): Promise<string | undefined> {
    let done = after ?? "";
    for (let examined = 0; examined < MOST_EXAMINED; examined += 1) {
      const next = await this.read.first(
        build
          .selectFrom("audit_entry")
          .select("organization_uid")
          .where("organization_uid", ">", done)
          .orderBy("organization_uid")
          .limit(1),
      );
      if (next === undefined) return undefined;
      const { organization_uid: uid } = next;
      const old = build
        .selectFrom("audit_entry")
        .select(["organization_uid", "time", "id"])
        .where("organization_uid", "=", uid)
        .where("time", "<", dateToMicros(before))
        .orderBy("time")
        .limit(limit);
      if ((await this.read.first(old.limit(1))) !== undefined) {
        const pruned = await inTransaction(this.connections, UNLOCKED, (tx) =>
          tx.all(
            build
              .deleteFrom("audit_entry")
              .where(({ eb, refTuple }) =>
                eb(
                  refTuple("organization_uid", "time", "id"),
                  "in",
                  old.$asTuple("organization_uid", "time", "id"),
                ),
              )
              .returning("id"),
          ),
        );
        return pruned.length === limit ? done : uid;
      }
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
  const row = await db.first(build.selectNoFrom(uidOf(organizationId).as("uid")));
  return row?.uid ?? undefined;
}
