import { sql } from "kysely";
import { ActionRunSchema } from "../../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { findHost } from "../../../domain/actions/action.ts";
import type { RunPayload } from "../../../domain/actions/run-payload.ts";
import { countSlots, type RunPlace } from "../../../domain/actions/run-slots.ts";
import type { RunClaim, Sender, TakenRun, TakenRuns } from "../../contract/outbox.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { dateToMicros, microsToDate, UNSET_TIME } from "../../db/times.ts";
import { readDocument } from "../base/stored-document.ts";
import {
  correctTurn,
  endTurn,
  findActions,
  findLatestTurn,
  findOrganization,
  setTurn,
  type TurnKey,
  turnOfOrganization,
} from "./run-turns.ts";
import { findSender } from "./webhooks.ts";

const UNSET = sql.lit(UNSET_TIME);

/** Maximum number of turns without a run that one claim examines. */
const MOST_IN_VAIN = 32;

/** Maximum number of actions of an organization that are examined for a host with a free slot. */
const MOST_ACTIONS = 32;

/** The action with the next turn. */
interface Candidate {
  readonly key: TurnKey;
  readonly sender: Sender | undefined;
  readonly place: RunPlace;
}

/**
 * Takes due runs, one per turn: the longest due of the longest waiting action of the longest waiting organization. A run
 * without a free slot is skipped and keeps its place, and so are the runs of a project that another transaction has
 * locked. A project is locked before a run of it is read.
 */
export async function takeRuns(
  tx: Tx,
  claim: RunClaim,
  tryLock: (projectId: string) => Promise<boolean>,
): Promise<TakenRuns> {
  const slots = claim.slots.copy();
  const now = dateToMicros(claim.now);
  const runs: TakenRun[] = [];
  /** The organizations without a free slot for their actions. */
  const blocked: string[] = [];
  /** The projects that are locked, or have no due run. */
  const skipped: string[] = [];
  let isCut = false;
  const first = ((await findLatestTurn(tx, now)) ?? now - 1) + 1;
  const left = Math.max(0, slots.countFree() - claim.limit);

  for (let inVain = 0; slots.countFree() > left; ) {
    // Later than every earlier turn, so that all get a first turn before one gets a second.
    const time = first + runs.length + inVain;
    const without = [...slots.listFull("organization"), ...blocked];
    const organizationId = await findOrganization(tx, time, without);
    if (organizationId === undefined) break;
    const candidate = await findCandidate(organizationId, time);
    const run = candidate && (await takeRun(candidate));
    if (run !== undefined && candidate !== undefined) {
      slots.take(run.holder);
      runs.push(run);
      await endTurn(tx, candidate.key, time);
      continue;
    }
    inVain += 1;
    if (inVain < MOST_IN_VAIN) continue;
    // The next claim starts with other organizations.
    for (const id of [...blocked, organizationId]) await setTurn(tx, turnOfOrganization(id), time);
    isCut = true;
    break;
  }
  return { runs, isCut };

  async function findCandidate(
    organizationId: string,
    time: number,
  ): Promise<Candidate | undefined> {
    const without = [...slots.listFull("project"), ...skipped];
    const keys = await findActions(tx, organizationId, { time, without, limit: MOST_ACTIONS });
    for (const key of keys) {
      const { project_id: projectId, action_id: actionId } = key;
      const sender = await findSender(tx, projectId, actionId);
      const place = { organizationId, projectId, host: findHost(sender?.target ?? null) };
      if (slots.hasHost(place, claim.now)) return { key, sender, place };
    }
    blocked.push(organizationId);
    if (keys.length === MOST_ACTIONS) {
      // The next claim examines other actions, even if many wait for one host.
      for (const key of keys) await setTurn(tx, key, time);
      isCut = true;
    }
    await correctTurn(tx, turnOfOrganization(organizationId), time);
    return undefined;
  }

  async function takeRun({ key, sender, place }: Candidate): Promise<TakenRun | undefined> {
    if (!(await tryLock(key.project_id))) {
      skipped.push(key.project_id);
      return undefined;
    }
    const [row] = await tx.all(
      build
        .selectFrom("action_run")
        .select(["id", "doc", "payload", "first_attempt_time"])
        .where("project_id", "=", key.project_id)
        .where("action_id", "=", key.action_id)
        .where("due_time", "<=", now)
        .where("due_time", "<", UNSET)
        .orderBy("due_time")
        .limit(1),
    );
    if (row === undefined) {
      skipped.push(key.project_id);
      await correctTurn(tx, key, now);
      await correctTurn(tx, turnOfOrganization(key.organization_id), now);
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
      holder: { ...place, slots: countSlots(row.payload.length) },
      run: readDocument(ActionRunSchema, row.doc),
      payload: JSON.parse(row.payload) as RunPayload,
      ...(row.first_attempt_time !== UNSET_TIME && {
        firstAttemptTime: microsToDate(row.first_attempt_time),
      }),
      ...(sender && { sender }),
    };
  }
}
