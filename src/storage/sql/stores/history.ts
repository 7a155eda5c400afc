import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import { type Change, ChangeSchema } from "../../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import { RecordSchema } from "../../../../gen/svc/transfer/v1/record_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { parseChangedKey } from "../../../domain/changes/resource-change.ts";
import { isUndoable, KIND_NAMES } from "../../../domain/kinds.ts";
import { readEqualities } from "../../../domain/kql/index.ts";
import type { DocumentPage, DocumentQuery } from "../../contract/document-store.ts";
import type {
  ChangedStates,
  HistoryPlace,
  HistoryStore,
  NewChange,
  Retention,
} from "../../contract/history.ts";
import { build, prepare, type SlotOf } from "../../db/query.ts";
import { dateToMicros, timeColumn } from "../../db/times.ts";
import { ConnectedStore } from "../base/connections.ts";
import { BYTES_AT_ONCE, HISTORY_SIZE } from "../base/delete-some.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { inTransaction } from "../base/in-transaction.ts";
import { createListBudget } from "../base/list-budget.ts";
import { readDocument } from "../base/stored-document.ts";
import { tableOf } from "./document-kinds.ts";

/** The time within which an account's writes to the same paths of a resource are one change, in microseconds. */
const JOINED = 60_000_000;

/** The newest changes of a resource that are kept longer. */
const NEWEST = 20;

/** The maximum number of rows that one write deletes. */
const MOST_TRIMMED = sql.raw("500");

/** The history of projects. */
export class SqlHistoryStore extends ConnectedStore implements HistoryStore {
  async add({
    organizationId,
    revision,
    part,
    joinedBy,
    change,
    before,
  }: NewChange): Promise<number> {
    let bytes = 0;
    const { id, projectId, accountId, resources } = change;
    const time = timeColumn(change.time);
    await inTransaction(this.connections, { projectIds: [projectId] }, async (tx) => {
      for (const [index, { key }] of resources.entries()) {
        const { kind, id: resourceId } = parseChangedKey(key);
        const state = before[index];
        const row = {
          ...{
            project_id: projectId,
            revision,
            part: part + index,
            organization_id: organizationId,
          },
          ...{ id, time, account_id: accountId, kind, resource_id: resourceId },
          paths: joinedBy,
          before: state === undefined ? null : toBinary(RecordSchema, state),
          doc: index === 0 ? toBinary(ChangeSchema, change) : null,
        };
        bytes += (row.before?.length ?? 0) + (row.doc?.length ?? 0);
        if (joinedBy !== "") {
          const near = { joins_after: time - JOINED, joins_before: time + JOINED };
          await tx.run(JOIN_LAST({ ...row, ...near }));
        }
        await tx.run(INSERT(row));
      }
    });
    return bytes;
  }

  addGaps(
    projectId: string,
    { after, now }: { readonly after: number; readonly now: Date },
  ): Promise<void> {
    const written = KIND_NAMES.filter(isUndoable).map(
      (kind) => sql`
        select kind, id, revision, organization_id
        from (
          select distinct kind, resource_id as id from history
          where project_id = ${projectId} and kind = ${kind}
        ) as changed
        join ${sql.table(tableOf(kind))} as resource using (${sql.raw(tableOf(kind) === "content" ? "kind, id" : "id")})
        where organization_id = (select organization_id from project where id = ${projectId})
          and revision > ${after}
      `,
    );
    return inTransaction(this.connections, { projectIds: [projectId] }, (tx) =>
      tx.run(sql`
        insert into history
          (project_id, revision, part, organization_id, id, time, account_id, kind, resource_id, paths)
        select ${projectId}, revision, row_number() over (order by kind, id), organization_id, '',
          ${dateToMicros(now)}, '', kind, id, ''
        from (${sql.join(written, sql` union all `)}) as written
      `),
    );
  }

  list(
    { parentIds, ...query }: DocumentQuery,
    show: (change: Change) => Change = (change) => change,
  ): Promise<DocumentPage<Change>> {
    const equalities = query.filter === undefined ? [] : readEqualities(query.filter);
    const find = (name: string) => equalities.find(({ path }) => path === name)?.value;
    const { rows, document } = selectChanges(find("resource"), find("account_id"));
    const ofProjects = rows.where("history.project_id", "in", [...parentIds]);
    return listFiltered(this.read, query, ofProjects.$narrowType<{ doc: Uint8Array }>(), {
      table: "history",
      schema: ChangeSchema,
      document,
      toFiltered: (json, { resources }) => ({ ...json, resource: resources.map(({ key }) => key) }),
      toValue: ({ doc }) => show(readDocument(ChangeSchema, doc)),
    });
  }

  async get(
    id: string,
    organizationId: string,
    budget = createListBudget(),
  ): Promise<{ readonly change: Change; readonly states: readonly ChangedStates[] }> {
    const rows = await this.read.all(
      build
        .selectFrom("history")
        .select(["project_id", "kind", "resource_id", "revision", "part", "doc"])
        .where("organization_id", "=", organizationId)
        .where("id", "=", id)
        .orderBy("part"),
      budget,
    );
    const [first] = rows;
    if (first?.doc == null) throw notFound(`change ${id}`);
    const states: ChangedStates[] = [];
    for (const { doc: _, ...row } of rows) {
      await budget.nextStep();
      const found = await this.read.all(SELECT_STATES(row), budget);
      const [own, next] = [0, 1].map((place) => found.find((it) => it.place === place));
      states[row.part - first.part] = budget.count(() => ({
        ...(own?.before && { before: readDocument(RecordSchema, own.before) }),
        ...(next?.before && { after: readDocument(RecordSchema, next.before) }),
        isNewest: next === undefined,
        revision: row.revision,
      }));
    }
    return { change: readDocument(ChangeSchema, first.doc), states };
  }

  async trim(projectId: string, maxBytes: number): Promise<void> {
    const project = sql`from project where id = ${projectId}`;
    await inTransaction(this.connections, { projectIds: [projectId] }, (tx) =>
      tx.run(sql`
        delete from history
        where project_id = ${projectId} and (revision, part) <= (
          select revision, part
          from (
            select revision, part, sum(size) over (order by revision, part) - size as freed
            from (
              select revision, part, ${HISTORY_SIZE} as size from history where project_id = ${projectId}
              order by revision, part
              limit coalesce((select ${MOST_TRIMMED} ${project} and history_bytes > ${maxBytes}), 0)
            ) as oldest
          ) as summed
          where freed < (select history_bytes - ${maxBytes} ${project})
          order by revision desc, part desc
          limit 1
        )
      `),
    );
  }

  async prune(
    { any, newest, bytes: maxBytes }: Retention,
    before: HistoryPlace | undefined,
    limit: number,
  ): Promise<HistoryPlace | undefined> {
    const rows = await this.read.all(selectBefore(before, limit));
    const [first] = rows;
    if (first === undefined) return undefined;
    const { project_id: projectId } = first;
    let bytes = before?.projectId === projectId ? before.bytes : 0;
    let cut: HistoryPlace | undefined;
    let last = { projectId, revision: first.revision, part: first.part, bytes };
    let isOld = false;
    let examined = 0;
    for (const { project_id, revision, part, time, size } of rows) {
      if (project_id !== projectId || examined >= BYTES_AT_ONCE) break;
      examined += size;
      bytes += size;
      last = { projectId, revision, part, bytes };
      if (bytes > maxBytes) cut ??= last;
      isOld ||= time < dateToMicros(any);
    }
    if (cut === undefined && !isOld) return last;
    // Writes that trim the history wait for it: both change its size.
    await inTransaction(this.connections, { projectIds: [projectId] }, (tx) =>
      tx.run(sql`
        delete from history
        where project_id = ${projectId}
          and (revision, part) <= (${first.revision}, ${first.part})
          and (revision, part) >= (${last.revision}, ${last.part})
          and (time < ${dateToMicros(newest)}
            or (revision, part) <= (${cut?.revision ?? -1}, ${cut?.part ?? 0})
            or (time < ${dateToMicros(any)} and ${NEWEST} = (
              select count(*) from (
                select 1 from history as newer
                where newer.project_id = history.project_id and newer.kind = history.kind
                  and newer.resource_id = history.resource_id
                  and (newer.revision, newer.part) > (history.revision, history.part)
                limit ${NEWEST}
              ) as newest
            )))
      `),
    );
    return last;
  }
}

/**
 * Selects the state before a change of a resource, and the one before its next change. The place of that is found alone,
 * because SQLite would otherwise read all changes of the project in between.
 */
const SELECT_STATES = prepare(
  (
    slot: SlotOf<
      Pick<Schema["history"], "kind" | "part" | "project_id" | "resource_id" | "revision">
    >,
  ) =>
    sql<{ place: number; before: Uint8Array | null }>`
      select 0 as place, before from history
      where project_id = ${slot("project_id")}
        and revision = ${slot("revision")} and part = ${slot("part")}
      union all
      select 1 as place, before from history
      where project_id = ${slot("project_id")} and (revision, part) = (
        select revision, part from history
        where project_id = ${slot("project_id")}
          and kind = ${slot("kind")} and resource_id = ${slot("resource_id")}
          and (revision, part) > (${slot("revision")}, ${slot("part")})
        order by revision, part
        limit 1
      )
      order by place
    `,
);

/** Selects the places and sizes of changes that follow a place in descending order. */
function selectBefore(place: Omit<HistoryPlace, "bytes"> | undefined, limit: number) {
  const { projectId, revision, part } = place ?? BEHIND_ALL;
  return sql<{ project_id: string; revision: number; part: number; time: number; size: number }>`
    select project_id, revision, part, time, ${HISTORY_SIZE} as size
    from history
    where (project_id, revision, part) < (${projectId}, ${revision}, ${part})
    order by project_id desc, revision desc, part desc
    limit ${limit}
  `;
}

/** A place after the changes of all projects, whose ids are ASCII. */
const BEHIND_ALL = { projectId: "\u{10ffff}", revision: 0, part: 0 };

/**
 * Selects changes: of a resource or of an account if given, otherwise all. The cross joins keep SQLite from reading the whole
 * history of a project in its order.
 */
function selectChanges(resource: string | undefined, accountId: string | undefined) {
  if (resource === undefined && accountId === undefined) {
    const rows = build.selectFrom("history").select(["id", "doc"]).where("doc", "is not", null);
    return { rows, document: "history.doc" };
  }
  // The first row of a change has its document.
  const document = "first.doc";
  const joined = build
    .selectFrom("history")
    .crossJoin("history as first")
    .select(["history.id", document])
    .whereRef("first.project_id", "=", "history.project_id")
    .whereRef("first.revision", "=", "history.revision")
    .where("first.doc", "is not", null);
  if (resource === undefined) {
    const rows = joined
      .whereRef("first.part", "=", "history.part")
      .where("history.account_id", "=", accountId ?? "");
    return { rows, document };
  }
  const { kind, id } = parseChangedKey(resource);
  const rows = joined
    .whereRef("first.id", "=", "history.id")
    .where("history.kind", "=", kind)
    .where("history.resource_id", "=", id);
  return { rows, document };
}

/** The columns of a row, and the times between which it joins the row before: clocks differ, and may have been ahead. */
type NewRow = Schema["history"] & Readonly<Record<"joins_after" | "joins_before", number>>;

const COLUMNS = [
  "project_id",
  "revision",
  "part",
  "organization_id",
  "id",
  "time",
  "account_id",
  "kind",
  "resource_id",
  "paths",
  "before",
  "doc",
] as const;

/** Inserts a row, unless a change that was joined has its place. */
const INSERT = prepare((slot: SlotOf<Schema["history"]>) =>
  build
    .insertInto("history")
    .values(Object.fromEntries(COLUMNS.map((it) => [it, slot(it)])) as never)
    .onConflict((it) => it.columns(["project_id", "revision", "part"]).doNothing()),
);

/** Moves the last change of a resource to the place of a row that it joins. */
const JOIN_LAST = prepare((slot: SlotOf<NewRow>) =>
  build
    .updateTable("history")
    .set({ revision: slot("revision"), part: slot("part") })
    .where("project_id", "=", slot("project_id"))
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("revision", "part"),
        "=",
        build
          .selectFrom("history as last")
          .select(["last.revision", "last.part"])
          .where("last.project_id", "=", slot("project_id"))
          .where("last.kind", "=", slot("kind"))
          .where("last.resource_id", "=", slot("resource_id"))
          .orderBy("last.revision", "desc")
          .orderBy("last.part", "desc")
          .limit(1)
          .$asTuple("revision", "part"),
      ),
    )
    .where("paths", "=", slot("paths"))
    .where("account_id", "=", slot("account_id"))
    .where("time", ">", slot("joins_after"))
    .where("time", "<", slot("joins_before")),
);
