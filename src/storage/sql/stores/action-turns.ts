import { type Selectable, sql } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import { notFound } from "../../../domain/base/errors.ts";
import type { Db, Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { UNSET_TIME } from "../base/times.ts";

/** A literal, not a parameter, so that SQLite may use the partial index. */
const UNSET = sql.lit(UNSET_TIME);

type Turn = Selectable<Schema["action_turn"]>;

/** The key of the turn of an organization, project or action. */
export type TurnKey = Pick<Turn, "level" | "parent_id" | "id">;

/** The turns above an action's runs: of the action, its project and its organization. */
export type TurnPath = readonly [action: TurnKey, project: TurnKey, organization: TurnKey];

/** Finds the turns above the runs of an action. NOT_FOUND without its project. */
export async function findTurnPath(db: Db, projectId: string, actionId: string): Promise<TurnPath> {
  const row = await db.first(
    build.selectFrom("project").select("organization_id").where("id", "=", projectId),
  );
  if (row === undefined) throw notFound("project", projectId);
  return toTurnPath(row.organization_id, projectId, actionId);
}

/** Returns the keys of the turns above the runs of an action. */
export function toTurnPath(organizationId: string, projectId: string, actionId: string): TurnPath {
  return [
    { level: "action", parent_id: projectId, id: actionId },
    { level: "project", parent_id: organizationId, id: projectId },
    { level: "organization", parent_id: "", id: organizationId },
  ];
}

/** Records that a run is due at a time, in microseconds. */
export async function noteDue(tx: Tx, path: TurnPath, dueTime: number): Promise<void> {
  for (const key of path) {
    const insert = build
      .insertInto("action_turn")
      .values({ ...key, turn: dueTime })
      .onConflict((it) =>
        it
          .columns(["level", "parent_id", "id"])
          .doUpdateSet({ turn: dueTime })
          .where("action_turn.turn", ">", dueTime),
      );
    await tx.run(insert);
  }
}

/**
 * Ends a turn at a time, in microseconds. Runs due by then queue after all others that are due; the rest wait
 * until they are due. Deletes the turn if no run waits.
 */
export async function endTurn(tx: Tx, path: TurnPath, time: number): Promise<void> {
  for (const key of path) {
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

/** Finds the due time of the first turn or run below a turn. */
async function findDueTime(tx: Tx, key: TurnKey): Promise<number | undefined> {
  if (key.level === "action") {
    const row = await tx.first(
      build
        .selectFrom("action_run")
        .select("due_time")
        .where("project_id", "=", key.parent_id)
        .where("action_id", "=", key.id)
        .where("due_time", "<", UNSET)
        .orderBy("due_time")
        .limit(1),
    );
    return row?.due_time;
  }
  const row = await tx.first(
    build
      .selectFrom("action_turn")
      .select("turn")
      .where("level", "=", key.level === "project" ? "action" : "project")
      .where("parent_id", "=", key.id)
      .orderBy("turn")
      .limit(1),
  );
  return row?.turn;
}

/** Sets the time of a turn. */
export async function setTurn(tx: Tx, key: TurnKey, turn: number): Promise<void> {
  const update = build
    .updateTable("action_turn")
    .set({ turn })
    .where("level", "=", key.level)
    .where("parent_id", "=", key.parent_id)
    .where("id", "=", key.id);
  await tx.run(update);
}

async function deleteTurn(tx: Tx, key: TurnKey): Promise<void> {
  const row = build
    .deleteFrom("action_turn")
    .where("level", "=", key.level)
    .where("parent_id", "=", key.parent_id)
    .where("id", "=", key.id);
  await tx.run(row);
}

/** Deletes the turns of a project whose runs were deleted. */
export async function eraseProjectTurns(
  tx: Tx,
  organizationId: string,
  projectId: string,
): Promise<void> {
  const [, project, organization] = toTurnPath(organizationId, projectId, "");
  const actions = build
    .deleteFrom("action_turn")
    .where("level", "=", "action")
    .where("parent_id", "=", projectId);
  await tx.run(actions);
  await deleteTurn(tx, project);
  await correctTurn(tx, organization, 0);
}

/** Finds the due turns below a parent, at most `limit`, the longest waiting first. */
export async function findTurns(
  tx: Tx,
  { level, parent_id }: Pick<TurnKey, "level" | "parent_id">,
  { time, without, limit }: { time: number; without: readonly string[]; limit: number },
): Promise<string[]> {
  let select = build
    .selectFrom("action_turn")
    .select("id")
    .where("level", "=", level)
    .where("parent_id", "=", parent_id)
    .where("turn", "<=", time);
  if (without.length > 0) select = select.where("id", "not in", [...without]);
  const rows = await tx.all(select.orderBy("turn").orderBy("id").limit(limit));
  return rows.map(({ id }) => id);
}

/**
 * Finds the latest turn, in microseconds, if turns within the current millisecond are later than its start:
 * many may follow each other in one millisecond.
 */
export async function findLatestTurn(tx: Tx, now: number): Promise<number | undefined> {
  const row = await tx.first(
    build
      .selectFrom("action_turn")
      .select("turn")
      .where("level", "=", "organization")
      .where("parent_id", "=", "")
      .where("turn", ">=", now)
      .where("turn", "<", now + 1_000)
      .orderBy("turn", "desc")
      .limit(1),
  );
  return row?.turn;
}
