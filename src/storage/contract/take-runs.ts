import type { ActionRun } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { RunPayload } from "../../domain/actions/run-payload.ts";
import type { RunHolder, RunSlots } from "../../domain/actions/run-slots.ts";
import type { Sender } from "./webhooks.ts";

/** A run taken by a worker, with everything needed to send it. */
export interface TakenRun {
  /** The owner and target host of the run, whose slots it occupies. */
  readonly holder: RunHolder;
  readonly run: ActionRun;
  readonly payload: RunPayload;
  /** Absent before the first attempt, and after a replay, which resets the retries. */
  readonly firstAttemptTime?: Date;
  /** The current action; absent if it was deleted. */
  readonly action?: Sender;
}

/** Limits the runs that a process takes. */
export interface RunClaim {
  /** Unique to the claim; the runs it takes are under this lease. */
  readonly lease: string;
  readonly now: Date;
  /** The time from when other claims may take the runs that are neither finished nor released. */
  readonly leaseEnd: Date;
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
