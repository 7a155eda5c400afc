import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import {
  type ActionRun,
  ActionRunSchema,
  ActionRunState,
  ActionRunStateSchema,
} from "../../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { NewActionRun } from "../../../domain/actions/action-run.ts";
import { KEPT_BYTES } from "../../../domain/actions/run-room.ts";
import { notFound } from "../../../domain/base/errors.ts";
import { readEqualities } from "../../../domain/kql/index.ts";
import { createImportDelivery } from "../../../domain/webhooks/delivery.ts";
import type { DocumentPage, DocumentQuery, Stored } from "../../contract/document-store.ts";
import type {
  ActionRunAdmin,
  ActionRunStore,
  FinishedRun,
  RunBacklog,
  RunClaim,
  TakenRuns,
} from "../../contract/outbox.ts";
import type { ImportOptions } from "../../contract/records.ts";
import { UNLOCKED, type WriteScope } from "../../contract/write-scope.ts";
import { type Db, onlyRow, type Tx } from "../../db/db.ts";
import { build, type Operand, prepare, type SlotOf } from "../../db/query.ts";
import { dateToMicros, microsToDate, timeColumn, UNSET_TIME } from "../../db/times.ts";
import { ConnectedStore, type Connections, OrganizationPart } from "../base/connections.ts";
import { deleteSome } from "../base/delete-some.ts";
import { listFiltered } from "../base/filtered-page.ts";
import { type FindScope, inTransaction } from "../base/in-transaction.ts";
import { readDocument, toStored } from "../base/stored-document.ts";
import { scopeOf } from "./locate.ts";
import { endTurn, findFirstTurn, findTurnKey, noteDue } from "./run-turns.ts";
import { takeRuns } from "./take-runs.ts";
import { findSender, SqlWebhookStore, senderOf, toSenderId } from "./webhooks.ts";

/** A literal, not a parameter, so that SQLite may use the partial indexes. */
const UNSET = sql.lit(UNSET_TIME);

/** The state that an index is for: few runs have it. */
const FAILED = {
  name: ActionRunStateSchema.value[ActionRunState.FAILED]?.name,
  number: sql.lit(ActionRunState.FAILED),
};

/** The most ended runs that a statement deletes. */
const MOST_DELETED = sql.lit(500);

/** The lease of a run without a worker. */
const NOBODY = "";

/** The outbox of actions and webhooks. */
export class SqlActionRunStore extends ConnectedStore implements ActionRunStore {
  list(query: DocumentQuery): Promise<DocumentPage<ActionRun>> {
    const { parentIds, filter } = query;
    let rows = build
      .selectFrom("action_run")
      .select(["id", "doc"])
      .where("project_id", "in", [...parentIds]);
    const equalities = filter === undefined ? [] : readEqualities(filter);
    const isOfSender = equalities.some(({ path }) => path.endsWith("_id"));
    for (const { path, value } of equalities) {
      if (path === "webhook_id" && value !== "") {
        rows = rows.where("action_id", "=", toSenderId(value));
      }
      // Few runs of a project fail, but a sender may have very many others: they are tested one after the other.
      if (path === "state" && value === FAILED.name && !isOfSender) {
        rows = rows.where("state", "=", FAILED.number);
      }
    }
    return listFiltered(this.read, query, rows, {
      table: "action_run",
      lookups: ["annotation_id", "action_id"],
      schema: ActionRunSchema,
      toValue: ({ doc }) => readDocument(ActionRunSchema, doc),
    });
  }

  create(runs: readonly NewActionRun[]): Promise<void> {
    return inTransaction(this.connections, scopeOfRuns(runs.map(({ run }) => run)), async (tx) => {
      for (const { run, payload } of runs) {
        const row = {
          id: run.id,
          project_id: run.projectId,
          annotation_id: run.annotationId,
          action_id: senderOf(run),
          create_time: timeColumn(run.createTime),
          update_time: timeColumn(run.createTime),
          revision: 1,
          lease: NOBODY,
          first_attempt_time: UNSET_TIME,
          payload: payload === undefined ? "" : JSON.stringify(payload),
          ...columnsOf(run),
        };
        await tx.run(build.insertInto("action_run").values(row));
        await noteRunDue(tx, run);
      }
      const projectIds = new Set(runs.map(({ run }) => run.projectId));
      for (const projectId of projectIds) await tx.run(TRIM({ projectId }));
    });
  }

  async takeOver(): Promise<void> {
    const { senders } = this.connections;
    senders?.join();
    await senders?.forEnded((id) => this.#release({ from: `${id}/`, to: `${id}/\u{10ffff}` }));
  }

  take(claim: RunClaim): Promise<TakenRuns> {
    const { dialect } = this.connections;
    // The projects are not known in advance: each is locked when it is found.
    return inTransaction(this.connections, UNLOCKED, async (tx) => {
      await dialect.lockName(tx, "action runs");
      const lease = this.#nameLease(claim.lease);
      return takeRuns(tx, { ...claim, lease }, (id) => dialect.tryLockProject(tx, id));
    });
  }

  finish(lease: string, { run, firstAttemptTime, now }: FinishedRun): Promise<boolean> {
    return inTransaction(this.connections, scopeOfRuns([run]), async (tx) => {
      const finished = await tx.all(
        build
          .updateTable("action_run")
          .set({
            ...columnsOf(run),
            update_time: dateToMicros(now),
            lease: NOBODY,
            first_attempt_time: firstAttemptTime ? dateToMicros(firstAttemptTime) : UNSET_TIME,
          })
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("id", "=", run.id)
          .where("lease", "=", this.#nameLease(lease))
          .returning("id"),
      );
      if (finished.length === 0) return false;
      await endTurn(tx, await findTurnKey(tx, run.projectId, senderOf(run)), dateToMicros(now));
      return true;
    });
  }

  release(lease: string): Promise<void> {
    const name = this.#nameLease(lease);
    return this.#release({ from: name, to: name });
  }

  #release(leases: LeaseRange): Promise<void> {
    return inTransaction(this.connections, scopeOfHeld(leases), async (tx) => {
      const held = await selectHeld(tx, leases);
      for (const run of held) {
        const { id } = run;
        const { due_time } = columnsOf(run);
        const update = build
          .updateTable("action_run")
          .set({ due_time, lease: NOBODY })
          .where("id", "=", id);
        await tx.run(update);
        await noteRunDue(tx, run);
      }
    });
  }

  async nextDueTime(): Promise<Date | undefined> {
    const turn = await findFirstTurn(this.read);
    return turn === undefined ? undefined : microsToDate(turn);
  }

  async backlog(): Promise<RunBacklog> {
    const waiting = sql`from action_run where due_time < ${UNSET}`;
    const rows = await this.read.all(sql<{ pending: number; oldest: number | null }>`
      select (select count(*) ${waiting}) as pending, (select min(create_time) ${waiting}) as oldest
    `);
    const { pending, oldest } = onlyRow(rows);
    return { pending, ...(oldest !== null && { oldestTime: microsToDate(oldest) }) };
  }

  async countBytes(projectId: string): Promise<number> {
    return onlyRow(await this.read.all(SELECT_BYTES({ projectId }))).run_bytes;
  }

  async prune(before: Date, limit: number): Promise<number> {
    const time = dateToMicros(before);
    const [oldest] = await this.read.all(sql<{ project_id: string }>`
      select project_id from action_run
      where due_time = ${UNSET} and update_time < ${time} order by update_time limit 1
    `);
    if (oldest === undefined) return 0;
    const { project_id: projectId } = oldest;
    // New runs wait for it: both change the bytes of the project.
    return inTransaction(this.connections, { projectIds: [projectId] }, async (tx) => {
      const ended = endedRuns(projectId);
      const condition = sql`${ended.condition} and update_time < ${time}`;
      return (await tx.all(deleteSome({ ...ended, condition, limit }))).length;
    });
  }

  async findSecret(runId: string): Promise<string | undefined> {
    const [row] = await this.read.all(
      build.selectFrom("action_run").select(["project_id", "action_id"]).where("id", "=", runId),
    );
    return row && (await findSender(this.read, row.project_id, row.action_id))?.secret;
  }

  /** Returns the name of a lease in the database, which begins with the id of the process. */
  #nameLease(lease: string): string {
    const id = this.connections.senders?.id ?? "";
    return id === "" ? lease : `${id}/${lease}`;
  }
}

/** The runs of one organization, for the Studio API. */
export class SqlActionRunAdmin extends OrganizationPart implements ActionRunAdmin {
  async get(id: string): Promise<Stored<ActionRun>> {
    return toStored(ActionRunSchema, await this.#getRow(this.read, id));
  }

  replay(
    id: string,
    change: (current: Stored<ActionRun>, canBeSent: boolean) => ActionRun,
  ): Promise<Stored<ActionRun>> {
    const organizationId = this.organizationId;
    const scope = scopeOf("action_run", id, organizationId);
    return inTransaction(this.connections, scope, async (tx) => {
      const row = await this.#getRow(tx, id);
      const current = toStored(ActionRunSchema, row);
      const { projectId } = current.value;
      const sender = await findSender(tx, projectId, senderOf(current.value));
      const value = change(current, row.payload !== "" && sender !== undefined);
      if (row.lease !== NOBODY) return current;
      const rows = await tx.all(
        build
          .updateTable("action_run")
          .set({ ...columnsOf(value), first_attempt_time: UNSET_TIME })
          .set((eb) => ({ revision: eb("revision", "+", 1) }))
          .where("id", "=", id)
          .returning("revision"),
      );
      const { revision } = onlyRow(rows);
      await noteRunDue(tx, value);
      return { value, revision };
    });
  }

  async #getRow(db: Db, id: string) {
    const [row] = await db.all(
      build
        .selectFrom("action_run as run")
        .innerJoin("project", "project.id", "run.project_id")
        .select(["run.doc", "run.revision", "run.payload", "run.lease"])
        .where("run.id", "=", id)
        .where("project.organization_id", "=", this.organizationId),
    );
    if (row === undefined) throw notFound("action_run", id);
    return row;
  }
}

const SELECT_BYTES = prepare((slot: SlotOf<{ readonly projectId: string }>) =>
  build.selectFrom("project").select("run_bytes").where("id", "=", slot("projectId")),
);

/** The runs of a project that have ended, the first one first. */
const endedRuns = (projectId: Operand<string>) =>
  ({
    table: "action_run",
    key: ["id"],
    condition: sql`project_id = ${projectId} and due_time = ${UNSET}`,
    orderedBy: "update_time",
  }) as const;

/** Deletes the runs of a project that ended first while its requests have more than `KEPT_BYTES`. */
const TRIM = prepare((slot: SlotOf<{ readonly projectId: string }>) => {
  const kept = sql.lit(KEPT_BYTES);
  const project = sql`from project where id = ${slot("projectId")} and run_bytes > ${kept}`;
  return deleteSome({
    ...endedRuns(slot("projectId")),
    limit: sql`coalesce((select ${MOST_DELETED} ${project}), 0)`,
    bytes: sql`(select run_bytes - ${kept} ${project})`,
  });
});

/** The names of leases from the first to the last one, in the order of text. */
interface LeaseRange {
  readonly from: string;
  readonly to: string;
}

/** Selects the runs under leases. */
async function selectHeld(db: Db, { from, to }: LeaseRange): Promise<ActionRun[]> {
  const rows = await db.all(
    build
      .selectFrom("action_run")
      .select("doc")
      .where("lease", "<>", sql.lit(NOBODY))
      .where("lease", ">=", from)
      .where("lease", "<=", to),
  );
  return rows.map(({ doc }) => readDocument(ActionRunSchema, doc));
}

function scopeOfHeld(leases: LeaseRange): FindScope {
  return async (db) => scopeOfRuns(await selectHeld(db, leases));
}

function scopeOfRuns(runs: readonly ActionRun[]): WriteScope {
  return { projectIds: runs.map(({ projectId }) => projectId) };
}

/** Records the due time of a run that waits to be sent. */
async function noteRunDue(tx: Tx, run: ActionRun): Promise<void> {
  const { due_time } = columnsOf(run);
  if (due_time !== UNSET_TIME) await noteDue(tx, run.projectId, senderOf(run), due_time);
}

/** Returns the columns with the progress of a run. */
function columnsOf(run: ActionRun) {
  return {
    doc: toBinary(ActionRunSchema, run),
    state: run.state,
    due_time: timeColumn(run.nextAttemptTime),
  };
}

/** Adds one run for each webhook of the projects that an import changed; a disabled one gets none. */
export async function announceImport(
  connections: Connections,
  projects: readonly (readonly [id: string, revision: number])[],
  { createId, now }: NonNullable<ImportOptions["announcement"]>,
): Promise<void> {
  for (const [projectId, revision] of projects) {
    const webhooks = await new SqlWebhookStore(connections).list(projectId);
    const runs = webhooks
      .filter(({ disabled }) => !disabled)
      .map((it) => createImportDelivery(it, revision, { id: createId(), now }));
    await new SqlActionRunStore(connections).create(runs);
  }
}
