import { type Selectable, sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { UNSET_TIME } from "../../db/times.ts";

/** Literals, not parameters, so that SQLite may use the partial indexes. */
const UNSET = sql.lit(UNSET_TIME);
const NO_PROJECT = sql.lit("");

/** The key of the turn of an action or webhook, or of an organization, without project and action. */
export type TurnKey = Omit<Selectable<Schema["run_turn"]>, "turn">;

/** Returns the key of the turn of an organization. */
export function turnOfOrganization(organizationId: string): TurnKey {
  return { organization_id: organizationId, project_id: "", action_id: "" };
}

/** Finds the key of the turn of an action or webhook. NOT_FOUND without its project. */
export async function findTurnKey(db: Db, projectId: string, actionId: string): Promise<TurnKey> {
  const [row] = await db.all(
    build.selectFrom("project").select("organization_id").where("id", "=", projectId),
  );
  if (row === undefined) throw notFound("project", projectId);
  return { ...row, project_id: projectId, action_id: actionId };
}

/** Records that a run of an action is due at a time, in microseconds. */
export async function noteDue(
  tx: Tx,
  projectId: string,
  actionId: string,
  dueTime: number,
): Promise<void> {
  for (const [project, action] of [
    [projectId, actionId],
    ["", ""],
  ] as const) {
    const turn = build
      .selectFrom("project")
      .select(["organization_id", sql.val(project).as("project_id")])
      .select([sql.val(action).as("action_id"), sql.val(dueTime).as("turn")])
      .where("id", "=", projectId);
    const insert = build
      .insertInto("run_turn")
      .columns(["organization_id", "project_id", "action_id", "turn"])
      .expression(turn)
      .onConflict((it) =>
        it
          .columns(["organization_id", "project_id", "action_id"])
          .doUpdateSet({ turn: dueTime })
          .where("run_turn.turn", ">", dueTime),
      );
    await tx.run(insert);
  }
}

/**
 * Ends the turn of an action and its organization at a time, in microseconds. If a run is due by then, they queue after
 * all others that are due; otherwise they wait until one is. Deletes the turn if no run waits.
 */
export async function endTurn(tx: Tx, action: TurnKey, time: number): Promise<void> {
  for (const key of [action, turnOfOrganization(action.organization_id)]) {
    const due = await findDueTime(tx, key);
    if (due === undefined) await deleteTurn(tx, key);
    else await setTurn(tx, key, Math.max(due, time));
  }
}

/** Postpones a turn to the first due time below it, or deletes it if no run waits. */
export async function correctTurn(tx: Tx, key: TurnKey, time: number): Promise<void> {
  const due = await findDueTime(tx, key);
  if (due === undefined) await deleteTurn(tx, key);
  else if (due > time) await setTurn(tx, key, due);
}

/** Finds the due time of an action's first run, or the first turn of an organization's actions. */
async function findDueTime(tx: Tx, key: TurnKey): Promise<number | undefined> {
  if (key.project_id === "") {
    await lockTurn(tx, key);
    const [row] = await tx.all(selectActions(key.organization_id).select("turn").limit(1));
    return row?.turn;
  }
  const [row] = await tx.all(
    build
      .selectFrom("action_run")
      .select("due_time")
      .where("project_id", "=", key.project_id)
      .where("action_id", "=", key.action_id)
      .where("due_time", "<", UNSET)
      .orderBy("due_time")
      .limit(1),
  );
  return row?.due_time;
}

/** Waits for the writes that hold a turn, so that the runs that they create are found. */
async function lockTurn(tx: Tx, key: TurnKey): Promise<void> {
  await tx.run(
    build
      .updateTable("run_turn")
      .set({ turn: sql`turn` })
      .where((row) => row.and(key)),
  );
}

/** Sets the time of a turn. */
export async function setTurn(tx: Tx, key: TurnKey, turn: number): Promise<void> {
  await tx.run(
    build
      .updateTable("run_turn")
      .set({ turn })
      .where((row) => row.and(key)),
  );
}

async function deleteTurn(tx: Tx, key: TurnKey): Promise<void> {
  await tx.run(build.deleteFrom("run_turn").where((row) => row.and(key)));
}

/** Deletes the turns of a project whose runs were deleted. */
export async function eraseProjectTurns(
  tx: Tx,
  organizationId: string,
  projectId: string,
): Promise<void> {
  const actions = build
    .deleteFrom("run_turn")
    .where("organization_id", "=", organizationId)
    .where("project_id", "=", projectId);
  await tx.run(actions);
  await correctTurn(tx, turnOfOrganization(organizationId), 0);
}

/** Finds the organization that is next by a time, in microseconds. */
export async function findOrganization(
  tx: Tx,
  time: number,
  without: readonly string[],
): Promise<string | undefined> {
  let select = selectOrganizations().select("organization_id").where("turn", "<=", time);
  if (without.length > 0) select = select.where("organization_id", "not in", [...without]);
  return (await tx.all(select.limit(1)))[0]?.organization_id;
}

/** Finds the actions of an organization that are next by a time, in microseconds; at most `limit`, in order. */
export function findActions(
  tx: Tx,
  organizationId: string,
  { time, without, limit }: { time: number; without: readonly string[]; limit: number },
): Promise<readonly TurnKey[]> {
  let select = selectActions(organizationId)
    .select(["organization_id", "project_id", "action_id"])
    .where("turn", "<=", time);
  if (without.length > 0) select = select.where("project_id", "not in", [...without]);
  return tx.all(select.limit(limit));
}

/** Finds the first turn of all, in microseconds; undefined if no run waits. */
export async function findFirstTurn(db: Db): Promise<number | undefined> {
  return (await db.all(selectOrganizations().select("turn").limit(1)))[0]?.turn;
}

/**
 * Finds the latest turn, in microseconds, if turns within the current millisecond are later than its start:
 * many may follow each other in one millisecond.
 */
export async function findLatestTurn(tx: Tx, now: number): Promise<number | undefined> {
  const [row] = await tx.all(
    build
      .selectFrom("run_turn")
      .select("turn")
      .where("project_id", "=", NO_PROJECT)
      .where("turn", ">=", now)
      .where("turn", "<", now + 1_000)
      .orderBy("turn", "desc")
      .limit(1),
  );
  return row?.turn;
}

/** Selects the turns of organizations in order. */
function selectOrganizations() {
  return build
    .selectFrom("run_turn")
    .where("project_id", "=", NO_PROJECT)
    .orderBy("turn")
    .orderBy("organization_id");
}

/** Selects the turns of the actions of an organization in order. */
function selectActions(organizationId: string) {
  return build
    .selectFrom("run_turn")
    .where("organization_id", "=", organizationId)
    .where("project_id", "<>", NO_PROJECT)
    .orderBy("turn")
    .orderBy("project_id")
    .orderBy("action_id");
}
