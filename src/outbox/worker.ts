import type { Logger } from "pino";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { RunSlots } from "../domain/actions/run-slots.ts";
import type { Store, TakenRun } from "../storage/store.ts";
import { attemptRun } from "./attempt.ts";
import type { Retention } from "./retention.ts";
import type { Sender } from "./send.ts";
import { WakeSignal } from "./wake-signal.ts";

/**
 * The lease of a worker on a run, in milliseconds: three times the sum of the time limits for resolving a name and
 * sending.
 */
const LEASE = 60_000;

/** The remaining lease that sending a run requires, in milliseconds: more than both time limits. */
const LEAST_LEASE = 30_000;

/** The runs taken in one transaction. */
const TAKEN_AT_ONCE = 8;

/** The pause after a claim that examined many runs and found none with a free slot, in milliseconds. */
const VAIN_PAUSE = 50;

/** The interval of polling for runs of other processes, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** The interval of deleting what is kept no longer, in milliseconds. */
const PRUNE_INTERVAL = 3_600_000;

/** The outcome of an attempt in the counts. */
export type AttemptOutcome = "succeeded" | "retried" | "given_up";

/** The dependencies of a worker. */
export interface ActionWorkerParts {
  readonly runs: Pick<Store["actionRuns"], "finish" | "nextDueTime" | "release" | "take">;
  readonly retention: Pick<Retention, "step">;
  /** Applies the scheduled release that is due first; `step` returns whether there was one. */
  readonly releases: { step(): Promise<boolean> };
  readonly sender: Sender;
  readonly clock: () => Date;
  readonly createId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * Processes the outbox of actions and webhooks, and the schedule of releases, one in each turn. It leases due runs in
 * short transactions, sends them outside of transactions, at most `RUN_SLOT_LIMITS` at a time, and records the outcomes.
 * It looks for runs when it is woken, when the next known run is due, and once a second for runs of other processes. If
 * a process dies, its leases expire and the runs are sent again with the same id and body.
 */
export class ActionWorker {
  /** The attempts since the start, by outcome. */
  readonly counts: Record<AttemptOutcome, number> = { succeeded: 0, retried: 0, given_up: 0 };
  readonly #parts: ActionWorkerParts;
  readonly #sending = new Set<Promise<void>>();
  readonly #slots = new RunSlots();
  readonly #wakeSignal = new WakeSignal();
  readonly #working: Promise<void>;
  #isClosing = false;
  #pruneTime: number;
  #hasFailed = false;

  /** Starts processing. */
  constructor(parts: ActionWorkerParts) {
    this.#parts = parts;
    this.#pruneTime = parts.clock().getTime();
    this.#working = this.#work();
  }

  /** Announces runs that were created. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /**
   * Takes no more runs and waits for requests in progress, at most `grace` milliseconds, before closing their
   * connections. Runs that were not sent are released.
   */
  async close(grace: number): Promise<void> {
    const { sender } = this.#parts;
    this.#isClosing = true;
    this.#wakeSignal.notify();
    const timer = setTimeout(() => sender.close(), grace);
    await this.#working;
    await Promise.all(this.#sending);
    clearTimeout(timer);
    sender.close();
  }

  async #work(): Promise<void> {
    while (!this.#isClosing) {
      let pause = POLL_INTERVAL;
      try {
        await this.#prune();
        const hasApplied = await this.#parts.releases.step();
        const wait = await this.#untilDue();
        const taken = wait <= 0 ? await this.#takeSome() : "none";
        this.#hasFailed = false;
        if (hasApplied || taken === "some") {
          // Lets other tasks run between batches.
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        if (wait > 0) pause = Math.min(wait, POLL_INTERVAL);
        else if (taken === "in_vain") pause = VAIN_PAUSE;
      } catch (error) {
        // Logged once while a database is unavailable.
        const { log } = this.#parts;
        if (!this.#hasFailed) log.error({ err: error }, "cannot process the outbox of actions");
        this.#hasFailed = true;
      }
      await this.#wakeSignal.wait(pause);
    }
  }

  /** Returns the time until the next run is due, in milliseconds. */
  async #untilDue(): Promise<number> {
    if (this.#slots.countFree() === 0) return POLL_INTERVAL;
    const { runs, clock } = this.#parts;
    const due = await runs.nextDueTime();
    return due === undefined ? POLL_INTERVAL : due.getTime() - clock().getTime();
  }

  async #takeSome(): Promise<"some" | "in_vain" | "none"> {
    const { runs, clock, createId } = this.#parts;
    const now = clock();
    const leaseEnd = new Date(now.getTime() + LEASE);
    const lease = createId();
    const claim = { lease, now, leaseEnd, slots: this.#slots, limit: TAKEN_AT_ONCE };
    const taken = await runs.take(claim);
    // After a long pause other workers may already have taken over the runs. `release` affects only runs that are
    // still under this lease.
    const isLate = leaseEnd.getTime() - clock().getTime() < LEAST_LEASE;
    if (this.#isClosing || isLate) {
      if (taken.runs.length > 0) await runs.release(lease);
      return isLate ? "some" : "none";
    }
    for (const run of taken.runs) this.#begin(run, lease);
    if (taken.runs.length > 0) return "some";
    return taken.isCut ? "in_vain" : "none";
  }

  #begin(taken: TakenRun, lease: string): void {
    const { log } = this.#parts;
    this.#slots.take(taken.holder);
    const sent = this.#send(taken, lease)
      .catch((error) =>
        log.error({ err: error, run: taken.run.id }, "cannot record the outcome of an action run"),
      )
      .finally(() => {
        this.#sending.delete(sent);
        this.#slots.give(taken.holder);
        this.#wakeSignal.notify();
      });
    this.#sending.add(sent);
  }

  async #send(taken: TakenRun, lease: string): Promise<void> {
    const { runs, sender, log } = this.#parts;
    const finished = await attemptRun(taken, { ...this.#parts, send: sender.send });
    const { id, actionId, webhookId, state, reason } = finished.run;
    if (reason === "NAME_TIMEOUT") this.#slots.rest(taken.holder.host, finished.now);
    if (!(await runs.finish(lease, finished))) {
      log.warn({ run: id }, "the lease of an action run expired before its outcome was recorded");
      return;
    }
    this.counts[toOutcome(state)] += 1;
    if (state === ActionRunState.FAILED) {
      const origin = webhookId ? { webhook: webhookId } : { action: actionId };
      log.warn({ run: id, ...origin, reason }, "action run failed after its last attempt");
    }
  }

  async #prune(): Promise<void> {
    const { retention, clock } = this.#parts;
    const now = clock().getTime();
    if (now < this.#pruneTime) return;
    const hasMore = await retention.step(now);
    this.#pruneTime = now + (hasMore ? POLL_INTERVAL : PRUNE_INTERVAL);
  }
}

function toOutcome(state: ActionRunState): AttemptOutcome {
  if (state === ActionRunState.PENDING) return "retried";
  return state === ActionRunState.SUCCEEDED ? "succeeded" : "given_up";
}
