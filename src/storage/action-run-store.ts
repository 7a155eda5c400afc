import type { Action } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionRun } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { NewActionRun } from "../domain/actions/action-run.ts";
import type { RunPayload } from "../domain/actions/run-payload.ts";
import type { RunHolder, RunSlots } from "../domain/actions/run-slots.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";

/** A run that somebody has taken, and all that is needed to send it. */
export interface TakenRun {
  /** Whose slot it takes. */
  readonly holder: RunHolder;
  readonly run: ActionRun;
  readonly payload: RunPayload;
  /** Absent: it was not sent yet, or a replay counts anew. */
  readonly firstAttemptTime?: Date;
  /** As it is now; absent: it is deleted. */
  readonly action?: { readonly value: Action; readonly secret: string };
}

/** What becomes of a run that was taken. */
export interface FinishedRun {
  /** Pending: it is due at its next_attempt_time. */
  readonly run: ActionRun;
  readonly firstAttemptTime?: Date;
  readonly now: Date;
}

/** Which runs a process may send. */
export interface RunClaim {
  /** A name that no other claim has: what is taken is held under it. */
  readonly lease: string;
  readonly now: Date;
  /** From then on others may take what is not finished or released. */
  readonly leaseEnd: Date;
  readonly limit: number;
  /** The slots of the process as they are taken; what has none left is passed over. */
  readonly slots: RunSlots;
}

/** What a claim took. */
export interface TakenRuns {
  readonly runs: readonly TakenRun[];
  /** Whether the claim ended before it had looked at all that is due: another one goes on behind it. */
  readonly isCut: boolean;
}

/** How many runs wait, and since when. */
export interface RunBacklog {
  readonly pending: number;
  /** When the oldest of them was made; absent: none waits. */
  readonly oldestTime?: Date;
}

/**
 * The outbox of actions. Runs have revisions of their own: what becomes of one changes nothing of its
 * project, and so nothing that delivery answers.
 */
export interface ActionRunStore {
  /** Lists runs by time of creation or id, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<ActionRun>>;
  /** Keeps new runs; those that are pending are due at once. */
  create(runs: readonly NewActionRun[]): Promise<void>;
  /**
   * Takes runs that are due and held by nobody whose lease lasts: organizations take turns, in each its
   * projects, in each its actions, of which the longest due comes first. However many wait, a claim costs
   * what it takes.
   */
  take(claim: RunClaim): Promise<TakenRuns>;
  /** Keeps what became of a run, if it is still held under the lease; false: it is not. */
  finish(lease: string, finished: FinishedRun): Promise<boolean>;
  /** Gives back what is held under a lease: it is due as it was. */
  release(lease: string): Promise<void>;
  /** Tells when the next run is due, or when its lease ends; undefined: none waits. */
  nextDueTime(): Promise<Date | undefined>;
  /** Counts the runs that wait to be sent. */
  backlog(): Promise<RunBacklog>;
  /** Deletes runs that ended before a time, at most so many; returns how many. */
  prune(before: Date, limit: number): Promise<number>;
  /** Finds what the action of a run signs with; undefined if there is no such run or action. */
  findSecret(runId: string): Promise<string | undefined>;
}

/** The runs of one organization, for management. */
export interface ActionRunAdmin {
  /** Gets a run; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<ActionRun>>;
  /**
   * Makes a run due that `change` returns as pending, its retries counted anew; one that is being sent
   * stays as it is. `canBeSent` says whether it has a payload and its action exists. NOT_FOUND if there
   * is none.
   */
  replay(
    id: string,
    change: (current: Stored<ActionRun>, canBeSent: boolean) => ActionRun,
  ): Promise<Stored<ActionRun>>;
  /** Puts another secret in the place of an action's; what is sent from then on is signed with it. */
  replaceSecret(actionId: string, secret: string): Promise<void>;
}
