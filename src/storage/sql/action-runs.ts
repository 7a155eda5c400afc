import { toBinary } from "@bufbuild/protobuf";
import { sql } from "kysely";
import {
  type ActionRun,
  ActionRunSchema,
} from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { notFound } from "../../domain/errors.ts";
import { readEqualities } from "../../domain/kql/index.ts";
import { createImportDelivery } from "../../domain/webhooks/delivery.ts";
import type { ActionRunAdmin, ActionRunStore } from "../action-run-store.ts";
import { type Db, onlyRow, type Tx } from "../db/db.ts";
import { build } from "../db/query.ts";
import type { ImportOptions } from "../record-import.ts";
import { UNLOCKED, type WriteScope } from "../write-scope.ts";
import { endTurn, findTurnPath, noteDue, toTurnPath } from "./action-turns.ts";
import type { Connections } from "./connections.ts";
import { sizeOfDocument } from "./cut-page.ts";
import { listFiltered } from "./filtered-page.ts";
import { type FindScope, inTransaction } from "./in-transaction.ts";
import { scopeOf } from "./scope-of.ts";
import { readDocument, toStored } from "./stored-document.ts";
import { takeRuns } from "./take-runs.ts";
import { dateToMicros, microsToDate, timeColumn, UNSET_TIME } from "./times.ts";
import { createWebhookStore, findSender, senderOf, toSenderId } from "./webhooks.ts";

/** A literal, not a parameter, so that SQLite may use the partial indexes. */
const UNSET = sql.lit(UNSET_TIME);

/** The lease of a run that no worker holds. */
const NOBODY = "";

/** Creates the store of runs. */
export function createActionRunStore(connections: Connections): ActionRunStore {
  const { read, dialect } = connections;
  return {
    list(query) {
      const { parentIds, filter } = query;
      let rows = build
        .selectFrom("action_run")
        .select(["id", "doc"])
        .where("project_id", "in", [...parentIds]);
      for (const { path, value } of filter === undefined ? [] : readEqualities(filter)) {
        if (path === "webhook_id" && value !== "") {
          rows = rows.where("action_id", "=", toSenderId(value));
        }
      }
      return listFiltered(read, query, rows, {
        table: "action_run",
        lookups: ["annotation_id", "action_id"],
        schema: ActionRunSchema,
        toValue: ({ doc }) => readDocument(ActionRunSchema, doc),
        sizeOf: sizeOfDocument,
      });
    },

    create: (runs) =>
      inTransaction(connections, scopeOfRuns(runs.map(({ run }) => run)), async (tx) => {
        const organizations = await findOrganizations(
          tx,
          runs.map(({ run }) => run),
        );
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
          await noteRunDue(tx, run, organizations);
        }
      }),

    // The projects are not known in advance: each is locked when it is found.
    take: (claim) =>
      inTransaction(connections, UNLOCKED, async (tx) => {
        await dialect.lockName(tx, "action runs");
        return takeRuns(tx, claim, (id) => dialect.tryLockProject(tx, id));
      }),

    finish: (lease, { run, firstAttemptTime, now }) =>
      inTransaction(connections, scopeOfRuns([run]), async (tx) => {
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
            .where("lease", "=", lease)
            .returning("id"),
        );
        if (finished.length === 0) return false;
        await endTurn(tx, await findTurnPath(tx, run.projectId, senderOf(run)), dateToMicros(now));
        return true;
      }),

    release: (lease) =>
      inTransaction(connections, scopeOfHeld(lease), async (tx) => {
        const held = await selectHeld(tx, lease);
        const organizations = await findOrganizations(tx, held);
        for (const run of held) {
          const { id } = run;
          const { due_time } = columnsOf(run);
          const update = build
            .updateTable("action_run")
            .set({ due_time, lease: NOBODY })
            .where("id", "=", id);
          await tx.run(update);
          await noteRunDue(tx, run, organizations);
        }
      }),

    async nextDueTime() {
      const row = await read.first(
        build
          .selectFrom("action_turn")
          .select("turn")
          .where("level", "=", "organization")
          .where("parent_id", "=", "")
          .orderBy("turn")
          .limit(1),
      );
      return row && microsToDate(row.turn);
    },

    async backlog() {
      const rows = await read.all(
        build
          .selectFrom("action_run")
          .select(({ fn }) => [
            fn.countAll<number>().as("pending"),
            fn.min<number | null>("create_time").as("oldest"),
          ])
          .where("due_time", "<", UNSET),
      );
      const { pending, oldest } = onlyRow(rows);
      return { pending, ...(oldest !== null && { oldestTime: microsToDate(oldest) }) };
    },

    async prune(before, limit) {
      const ended = build
        .selectFrom("action_run")
        .select("id")
        .where("due_time", "=", UNSET)
        .where("update_time", "<", dateToMicros(before))
        .orderBy("update_time")
        .limit(limit);
      // Read before writing: a write invalidates caches, and mostly there is nothing to do.
      if ((await read.first(ended.limit(1))) === undefined) return 0;
      return inTransaction(connections, UNLOCKED, async (tx) => {
        const pruned = await tx.all(
          build.deleteFrom("action_run").where("id", "in", ended).returning("id"),
        );
        return pruned.length;
      });
    },

    async findSecret(runId) {
      const row = await read.first(
        build.selectFrom("action_run").select(["project_id", "action_id"]).where("id", "=", runId),
      );
      return row && (await findSender(read, row.project_id, row.action_id))?.secret;
    },
  };
}

/** Creates the store of the runs of an organization, for management. */
export function createActionRunAdmin(
  connections: Connections,
  organizationId: string,
): ActionRunAdmin {
  const { read } = connections;
  return {
    async get(id) {
      const row = await read.first(
        build
          .selectFrom("action_run as run")
          .innerJoin("project", "project.id", "run.project_id")
          .select(["run.doc", "run.revision"])
          .where("run.id", "=", id)
          .where("project.organization_id", "=", organizationId),
      );
      if (row === undefined) throw notFound(`action_run ${id}`);
      return toStored(ActionRunSchema, row);
    },

    replay: (id, change) =>
      inTransaction(connections, scopeOf("action_run", id, organizationId), async (tx) => {
        const row = await tx.first(
          build
            .selectFrom("action_run as run")
            .innerJoin("project", "project.id", "run.project_id")
            .select(["run.doc", "run.revision", "run.payload", "run.lease"])
            .where("run.id", "=", id)
            .where("project.organization_id", "=", organizationId),
        );
        if (row === undefined) throw notFound(`action_run ${id}`);
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
        await noteRunDue(tx, value, new Map([[projectId, organizationId]]));
        return { value, revision };
      }),

    replaceSecret: (kind, id, secret) =>
      inTransaction(connections, scopeOf(kind, id, organizationId), async (tx) => {
        const update = build
          .updateTable(kind)
          .set({ secret })
          .where("organization_id", "=", organizationId)
          .where("id", "=", id);
        await tx.run(update);
      }),
  };
}

/** Selects the runs that are held under a lease. */
async function selectHeld(db: Db, lease: string): Promise<ActionRun[]> {
  const rows = await db.all(
    build
      .selectFrom("action_run")
      .select("doc")
      .where("lease", "<>", sql.lit(NOBODY))
      .where("lease", "=", lease),
  );
  return rows.map(({ doc }) => readDocument(ActionRunSchema, doc));
}

function scopeOfHeld(lease: string): FindScope {
  return async (db) => scopeOfRuns(await selectHeld(db, lease));
}

function scopeOfRuns(runs: readonly ActionRun[]): WriteScope {
  return { projectIds: runs.map(({ projectId }) => projectId) };
}

/** Finds the organizations of the projects of runs. */
async function findOrganizations(
  tx: Tx,
  runs: readonly ActionRun[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(runs.map(({ projectId }) => projectId))];
  if (ids.length === 0) return new Map();
  const rows = await tx.all(
    build.selectFrom("project").select(["id", "organization_id"]).where("id", "in", ids),
  );
  return new Map(rows.map((row) => [row.id, row.organization_id]));
}

/** Records the due time of a run that waits to be sent. */
async function noteRunDue(
  tx: Tx,
  run: ActionRun,
  organizations: ReadonlyMap<string, string>,
): Promise<void> {
  const { projectId } = run;
  const { due_time } = columnsOf(run);
  if (due_time === UNSET_TIME) return;
  const organizationId = organizations.get(projectId);
  if (organizationId === undefined) throw notFound(`project ${projectId}`);
  await noteDue(tx, toTurnPath(organizationId, projectId, senderOf(run)), due_time);
}

/** Returns the columns that hold the progress of a run. */
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
    const webhooks = await createWebhookStore(connections).list(projectId);
    const runs = webhooks
      .filter(({ disabled }) => !disabled)
      .map((it) => createImportDelivery(it, revision, { id: createId(), now }));
    await createActionRunStore(connections).create(runs);
  }
}
