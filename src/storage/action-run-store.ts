import type { Action } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionRun } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { NewActionRun } from "../domain/actions/action-run.ts";
import type { RunPayload } from "../domain/actions/run-payload.ts";
import type { RunHolder, RunSlots } from "../domain/actions/run-slots.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";

/** A run held by a worker, with everything needed to send it. */
export interface TakenRun {
  /** The owner and target host of the run, whose slots it occupies. */
  readonly holder: RunHolder;
  readonly run: ActionRun;
  readonly payload: RunPayload;
  /** Absent before the first attempt, and after a replay, which resets the retries. */
  readonly firstAttemptTime?: Date;
  /** The current action, for a run of a webhook one with its URL; absent if it was deleted. */
  readonly action?: {
    readonly value: Action;
    readonly secret: string;
    /** True if a webhook is disabled. */
    readonly isDisabled?: boolean;
  };
}

/** The outcome of an attempt to send a run. */
export interface FinishedRun {
  /** A pending run is due again at its next_attempt_time. */
  readonly run: ActionRun;
  readonly firstAttemptTime?: Date;
  readonly now: Date;
}

/** Limits the runs that a process takes. */
export interface RunClaim {
  /** Unique to the claim; the runs it takes are held under this name. */
  readonly lease: string;
  readonly now: Date;
  /** The time from which other claims may take the runs that are neither finished nor released. */
  readonly leaseEnd: Date;
  readonly limit: number;
  /** The slots of the process, occupied as runs are taken; a run without a free slot is skipped. */
  readonly slots: RunSlots;
}

/** The runs that a claim took. */
export interface TakenRuns {
  readonly runs: readonly TakenRun[];
  /** True if the claim stopped before it had examined every due run; another claim continues after it. */
  readonly isCut: boolean;
}

/** Summarizes the waiting runs. */
export interface RunBacklog {
  readonly pending: number;
  /** The creation time of the oldest; absent if none waits. */
  readonly oldestTime?: Date;
}

/**
 * The outbox of actions and webhooks. Runs have their own revisions: a change to a run does not move the revision of its
 * project, as it affects no delivery response.
 */
export interface ActionRunStore {
  /** Lists runs by time of creation or id, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<ActionRun>>;
  /** Stores new runs; pending ones are due immediately. */
  create(runs: readonly NewActionRun[]): Promise<void>;
  /**
   * Takes due runs that no unexpired lease holds. Organizations take turns, then the projects of each, then
   * the actions of each; an action sends its longest due run first. The cost of a claim depends on the runs
   * it takes, not on how many wait.
   */
  take(claim: RunClaim): Promise<TakenRuns>;
  /** Stores the outcome of a run; false if the lease no longer holds it. */
  finish(lease: string, finished: FinishedRun): Promise<boolean>;
  /** Releases every run held under a lease; each is due when it was before. */
  release(lease: string): Promise<void>;
  /** Returns the earliest time at which a run is due or its lease expires; undefined if none waits. */
  nextDueTime(): Promise<Date | undefined>;
  /** Counts the runs that wait to be sent. */
  backlog(): Promise<RunBacklog>;
  /** Deletes at most `limit` runs that ended before a time; returns the number deleted. */
  prune(before: Date, limit: number): Promise<number>;
  /** Finds the signing secret of a run's action or webhook; undefined if there is none. */
  findSecret(runId: string): Promise<string | undefined>;
}

/** The runs of one organization, for management. */
export interface ActionRunAdmin {
  /** Returns a run; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<ActionRun>>;
  /**
   * Makes a run due again if `change` returns it as pending, with its retries reset; a run being sent is left
   * unchanged. `canBeSent` is whether the run has a payload and its action or webhook exists. NOT_FOUND if there is no
   * such run.
   */
  replay(
    id: string,
    change: (current: Stored<ActionRun>, canBeSent: boolean) => ActionRun,
  ): Promise<Stored<ActionRun>>;
  /** Replaces the secret of an action or webhook; runs sent from then on are signed with the new one. */
  replaceSecret(kind: "action" | "webhook", id: string, secret: string): Promise<void>;
}
