import { sql } from "kysely";
import { ActionRunSchema } from "../../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { findActionHost } from "../../../domain/actions/action.ts";
import type { RunPayload } from "../../../domain/actions/run-payload.ts";
import type { RunClaim, TakenRun, TakenRuns } from "../../contract/take-runs.ts";
import type { Sender } from "../../contract/webhooks.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { readDocument } from "../base/stored-document.ts";
import { dateToMicros, microsToDate, UNSET_TIME } from "../base/times.ts";
import {
  correctTurn,
  endTurn,
  findLatestTurn,
  findTurns,
  setTurn,
  type TurnKey,
  type TurnPath,
  toTurnPath,
} from "./action-turns.ts";
import { findSender } from "./webhooks.ts";

const UNSET = sql.lit(UNSET_TIME);

/** Maximum number of turns that one claim examines in addition to the turns of the runs that it takes. */
const MOST_IN_VAIN = 64;

/** Maximum number of actions of a project that are examined for a host with a free slot. */
const MOST_ACTIONS = 16;

/** The action with the next turn. */
interface Candidate {
  readonly path: TurnPath;
  readonly action: Sender | undefined;
  readonly host: string;
}

/**
 * Takes due runs, one per turn: the longest due of the longest waiting action of the longest waiting project of the
 * longest waiting organization. A run without a free slot is skipped and keeps its place, and so is a project that
 * another transaction has locked. A project is locked before a run of it is read.
 */
export async function takeRuns(
  tx: Tx,
  claim: RunClaim,
  tryLock: (projectId: string) => Promise<boolean>,
): Promise<TakenRuns> {
  const slots = claim.slots.copy();
  const now = dateToMicros(claim.now);
  const runs: TakenRun[] = [];
  /** Turns without a free slot. */
  const blocked: TurnKey[] = [];
  const listBlocked = (level: TurnKey["level"], parentId: string) => [
    ...(level === "action" ? [] : slots.listFull(level)),
    ...blocked.flatMap((key) =>
      key.level === level && key.parent_id === parentId ? [key.id] : [],
    ),
  ];
  const first = ((await findLatestTurn(tx, now)) ?? now - 1) + 1;
  const limit = Math.min(claim.limit, slots.countFree());

  for (let inVain = 0; runs.length < limit; ) {
    // Later than every earlier turn, so that all get a first turn before one gets a second.
    const time = first + runs.length + inVain;
    const [organizationId] = await findTurns(
      tx,
      { level: "organization", parent_id: "" },
      { time, limit: 1, without: listBlocked("organization", "") },
    );
    if (organizationId === undefined) return { runs, isCut: false };
    const candidate = await findCandidate(organizationId, time);
    const run = candidate && (await takeRun(candidate));
    if (run !== undefined && candidate !== undefined) {
      slots.take(run.holder);
      runs.push(run);
      await endTurn(tx, candidate.path, time);
      continue;
    }
    inVain += 1;
    if (inVain < MOST_IN_VAIN) continue;
    // The next claim starts with other organizations.
    const organization = toTurnPath(organizationId, "", "")[2];
    for (const key of [...blocked, organization]) await setTurn(tx, key, time);
    return { runs, isCut: true };
  }
  return { runs, isCut: false };

  async function findCandidate(
    organizationId: string,
    time: number,
  ): Promise<Candidate | undefined> {
    const [projectId] = await findTurns(
      tx,
      { level: "project", parent_id: organizationId },
      { time, limit: 1, without: listBlocked("project", organizationId) },
    );
    const [, project, organization] = toTurnPath(organizationId, projectId ?? "", "");
    if (projectId === undefined) {
      blocked.push(organization);
      await correctTurn(tx, organization, time);
      return undefined;
    }
    const actionIds = await findTurns(
      tx,
      { level: "action", parent_id: projectId },
      { time, limit: MOST_ACTIONS, without: listBlocked("action", projectId) },
    );
    for (const id of actionIds) {
      const action = await findSender(tx, projectId, id);
      const host = action === undefined ? "" : findActionHost(action.value);
      if (!slots.hasHost({ organizationId, projectId, host }, claim.now)) continue;
      return { path: toTurnPath(organizationId, projectId, id), action, host };
    }
    blocked.push(project);
    // Other actions of the project are examined, even if many wait for one host.
    if (actionIds.length === MOST_ACTIONS) {
      for (const id of actionIds) {
        await setTurn(tx, { level: "action", parent_id: projectId, id }, time);
      }
    }
    await correctTurn(tx, project, time);
    return undefined;
  }

  async function takeRun({ path, action, host }: Candidate): Promise<TakenRun | undefined> {
    const [{ parent_id: projectId, id: actionId }, project, { id: organizationId }] = path;
    if (!(await tryLock(projectId))) {
      blocked.push(project);
      return undefined;
    }
    const row = await tx.first(
      build
        .selectFrom("action_run")
        .select(["id", "doc", "payload", "first_attempt_time"])
        .where("project_id", "=", projectId)
        .where("action_id", "=", actionId)
        .where("due_time", "<=", now)
        .where("due_time", "<", UNSET)
        .orderBy("due_time")
        .limit(1),
    );
    if (row === undefined) {
      blocked.push(path[0]);
      for (const key of path) await correctTurn(tx, key, now);
      return undefined;
    }
    // Due again when the lease expires, so that the same index finds it.
    await tx.run(
      build
        .updateTable("action_run")
        .set({ lease: claim.lease, due_time: dateToMicros(claim.leaseEnd) })
        .where("id", "=", row.id),
    );
    return {
      holder: { organizationId, projectId, host },
      run: readDocument(ActionRunSchema, row.doc),
      payload: JSON.parse(row.payload) as RunPayload,
      ...(row.first_attempt_time !== UNSET_TIME && {
        firstAttemptTime: microsToDate(row.first_attempt_time),
      }),
      ...(action && { action }),
    };
  }
}
