import type { ActionRun } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { Webhook } from "../../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { ActionTarget } from "../../domain/actions/action.ts";
import type { NewActionRun } from "../../domain/actions/action-run.ts";
import type { RunPayload } from "../../domain/actions/run-payload.ts";
import type { RunHolder, RunSlots } from "../../domain/actions/run-slots.ts";
import type { DocumentPage, DocumentQuery, Stored } from "./document-store.ts";

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
  /**
   * Stores new runs; pending ones are due immediately. Deletes the oldest ended runs of their project while its requests have
   * more than `KEPT_BYTES`.
   */
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
  /** Returns the bytes of the requests of a project's runs. */
  countBytes(projectId: string): Promise<number>;
  /**
   * Deletes at most `limit` runs of one project that ended before a time, and about 16 MiB; returns their number, 0 if there
   * are no more.
   */
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
}

/** A run taken by a worker, with everything needed to send it. */
export interface TakenRun {
  /** The owner and target host of the run, whose slots it occupies. */
  readonly holder: RunHolder;
  readonly run: ActionRun;
  readonly payload: RunPayload;
  /** Absent before the first attempt, and after a replay, which resets the retries. */
  readonly firstAttemptTime?: Date;
  /** The current action or webhook; absent if it was deleted. */
  readonly sender?: Sender;
}

/** Limits the runs that a process takes. */
export interface RunClaim {
  /** Unique to the claim; the runs it takes are under this lease. */
  readonly lease: string;
  readonly now: Date;
  /** The time from when other claims may take the runs that are neither finished nor released. */
  readonly leaseEnd: Date;
  /** The slots that it may take; its last run may take more. */
  readonly limit: number;
  /** The slots of the process, occupied as runs are taken; a run without a free slot is skipped. */
  readonly slots: RunSlots;
}

/** The runs that a claim took. */
export interface TakenRuns {
  readonly runs: readonly TakenRun[];
  /** True if the claim stopped before it had examined every due run: call again. */
  readonly isCut: boolean;
}

/** The current action or webhook of a run. */
export interface Sender {
  /** Null for an action without one. */
  readonly target: ActionTarget | null;
  readonly secret: string;
  /** True if a webhook is disabled. */
  readonly isDisabled?: boolean;
}

/** The webhooks of projects, for the announcement of changes. */
export interface WebhookStore {
  /** Lists all webhooks of a project by id. */
  list(projectId: string): Promise<readonly Webhook[]>;
}
