import type { ActionRun } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { NewActionRun } from "../../domain/actions/action-run.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";
import type { Stored } from "./stored.ts";
import type { RunClaim, TakenRuns } from "./take-runs.ts";

/** The outcome of an attempt to send a run. */
export interface FinishedRun {
  /** A pending run is due again at its next_attempt_time. */
  readonly run: ActionRun;
  readonly firstAttemptTime?: Date;
  readonly now: Date;
}

/** Summarizes the waiting runs. */
export interface RunBacklog {
  readonly pending: number;
  /** The creation time of the oldest; absent if none waits. */
  readonly oldestTime?: Date;
}

/**
 * The outbox of actions and webhooks. Runs have their own revisions: a change to a run does not move the revision of its
 * project, because it affects no delivery response.
 */
export interface ActionRunStore {
  /** Lists runs by time of creation or id, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<ActionRun>>;
  /** Stores new runs; pending ones are due immediately. */
  create(runs: readonly NewActionRun[]): Promise<void>;
  /**
   * Makes this process one that sends runs, and releases the runs that processes were sending when they ended. On
   * PostgreSQL, these are due when their leases expire.
   */
  takeOver(): Promise<void>;
  /**
   * Takes due runs without an unexpired lease. Organizations take turns, then the actions of each; an action sends its
   * longest due run first. The cost of a claim depends on the runs it takes, not on how many wait.
   */
  take(claim: RunClaim): Promise<TakenRuns>;
  /** Stores the outcome of a run; false if the run is no longer under the lease. */
  finish(lease: string, run: FinishedRun): Promise<boolean>;
  /** Releases every run under a lease; each has its earlier due time again. */
  release(lease: string): Promise<void>;
  /** Returns the earliest time when a run is due or its lease expires; undefined if no run waits. */
  nextDueTime(): Promise<Date | undefined>;
  /** Counts the runs that wait to be sent. */
  backlog(): Promise<RunBacklog>;
  /** Deletes at most `limit` runs that ended before a time; returns the number deleted. */
  prune(before: Date, limit: number): Promise<number>;
  /** Finds the signing secret of a run's action or webhook; undefined if there is none. */
  findSecret(runId: string): Promise<string | undefined>;
}

/** The runs of one organization, for the Studio API. */
export interface ActionRunAdmin {
  /** Returns a run; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<ActionRun>>;
  /**
   * Makes a run due again if `change` returns it as pending, with its retries reset; a run being sent is left
   * unchanged. `canBeSent` is whether the run has a payload and its action or webhook exists. NOT_FOUND if the run
   * does not exist.
   */
  replay(
    id: string,
    change: (current: Stored<ActionRun>, canBeSent: boolean) => ActionRun,
  ): Promise<Stored<ActionRun>>;
  /** Replaces the secret of an action or webhook; runs sent later are signed with the new one. */
  replaceSecret(kind: "action" | "webhook", id: string, secret: string): Promise<void>;
}
