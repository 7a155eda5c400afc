import timers from "node:timers/promises";
import type { Logger } from "pino";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import type { ReleaseSchedule } from "../api/release-schedule.ts";
import { RunSlots } from "../domain/actions/run-slots.ts";
import type { FinishedRun, TakenRun } from "../storage/contract/outbox.ts";
import type { Store } from "../storage/contract/store.ts";
import { attemptRun } from "./attempt.ts";
import type { Retention } from "./retention.ts";
import type { Sender } from "./send.ts";

/**
 * The lease of a worker on a run, in milliseconds: three times the sum of the time limits for resolving a name and
 * sending.
 */
const LEASE = 60_000;

/** The remaining lease that sending a run requires, in milliseconds: more than both time limits. */
const LEAST_LEASE = 30_000;

/** The slots taken in one transaction. */
const TAKEN_AT_ONCE = 8;

/** The pause after a claim that examined many runs and found none with a free slot, in milliseconds. */
const VAIN_PAUSE = 50;

/** The pause before an outcome that could not be recorded is recorded again, in milliseconds. */
const RECORD_PAUSE = 1_000;

/** The interval of polling for runs of other processes, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** The dependencies of a worker. */
export interface ActionWorkerParts {
  readonly runs: Pick<
    Store["actionRuns"],
    "finish" | "nextDueTime" | "release" | "take" | "takeOver"
  >;
  readonly retention: Pick<Retention, "step">;
  readonly releases: Pick<ReleaseSchedule, "close" | "step">;
  readonly sender: Sender;
  readonly clock: () => Date;
  readonly createId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/**
 * Processes the outbox of actions and webhooks, the schedule of releases and the retention, each in a loop of its own: none
 * waits for another. It leases due runs in short transactions, sends them outside of transactions, at most
 * `RUN_SLOT_LIMITS` at a time, and records the outcomes. It looks for runs when it is woken, when the next known run is
 * due, and once a second for runs of other processes. If a process dies, its runs are sent again
 * with the same id and body: after the next start on SQLite, and when its leases expire on PostgreSQL.
 */
export class ActionWorker {
  /** The attempts since the start, by outcome. */
  readonly counts = { succeeded: 0, retried: 0, given_up: 0 };
  readonly #parts: ActionWorkerParts;
  readonly #sending = new Set<Promise<void>>();
  readonly #slots = new RunSlots();
  readonly #runs: Loop;
  readonly #releases: Loop;
  readonly #retention: Loop;
  #hasTakenOver = false;
  #isClosing = false;

  /** Starts processing. */
  constructor(parts: ActionWorkerParts) {
    const { log, releases, retention } = parts;
    this.#parts = parts;
    const onDue = () => this.#processRuns();
    const onRelease = () => releases.step(() => this.#releases.wake());
    this.#runs = new Loop(onDue, log, "cannot process the outbox of actions");
    this.#releases = new Loop(onRelease, log, "cannot read the schedule of releases");
    this.#retention = new Loop(() => retention.step(), log, "cannot delete what is kept no longer");
  }

  /** Announces runs that were created. */
  wake(): void {
    this.#runs.wake();
  }

  /**
   * Takes no more runs and waits for requests in progress, at most `grace` milliseconds, before closing their
   * connections. Runs that were not sent are released, and releases that are being applied are finished.
   */
  async close(grace: number): Promise<void> {
    const { sender, releases } = this.#parts;
    this.#isClosing = true;
    const timer = setTimeout(() => sender.close(), grace);
    const loops = [this.#runs, this.#releases, this.#retention];
    await Promise.all(loops.map((loop) => loop.close()));
    await Promise.all([...this.#sending, releases.close()]);
    clearTimeout(timer);
    sender.close();
  }

  /** Takes and begins to send due runs; returns the pause before the next look for more, in milliseconds. */
  async #processRuns(): Promise<number> {
    if (!this.#hasTakenOver) await this.#parts.runs.takeOver();
    this.#hasTakenOver = true;
    const wait = await this.#untilDue();
    if (wait > 0) return Math.min(wait, POLL_INTERVAL);
    const taken = await this.#takeSome();
    if (taken === "some") return 0;
    return taken === "in_vain" ? VAIN_PAUSE : POLL_INTERVAL;
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
    for (const run of taken.runs) this.#begin(run, lease, leaseEnd);
    if (taken.runs.length > 0) return "some";
    return taken.isCut ? "in_vain" : "none";
  }

  #begin(taken: TakenRun, lease: string, leaseEnd: Date): void {
    const { log } = this.#parts;
    this.#slots.take(taken.holder);
    const sent = this.#send(taken, lease, leaseEnd)
      .catch((error) =>
        log.error({ err: error, run: taken.run.id }, "cannot record the outcome of an action run"),
      )
      .finally(() => {
        this.#sending.delete(sent);
        this.#slots.give(taken.holder);
        this.#runs.wake();
      });
    this.#sending.add(sent);
  }

  async #send(taken: TakenRun, lease: string, leaseEnd: Date): Promise<void> {
    const { sender, log } = this.#parts;
    const finished = await attemptRun(taken, { ...this.#parts, send: sender.send });
    const { id, actionId, webhookId, state, reason } = finished.run;
    if (reason === "NAME_TIMEOUT") this.#slots.rest(taken.holder.host, finished.now);
    if (!(await this.#record(lease, leaseEnd, finished))) {
      log.warn({ run: id }, "the lease of an action run expired before its outcome was recorded");
      return;
    }
    if (state === ActionRunState.PENDING) {
      this.counts.retried += 1;
    } else if (state === ActionRunState.SUCCEEDED) {
      this.counts.succeeded += 1;
    } else {
      this.counts.given_up += 1;
      const origin = webhookId ? { webhook: webhookId } : { action: actionId };
      log.warn({ run: id, ...origin, reason }, "action run failed after its last attempt");
    }
  }

  /**
   * Records an outcome; false if the lease has expired. While the database is away, it tries again until the lease
   * ends: a run without its outcome is sent again.
   */
  async #record(lease: string, leaseEnd: Date, finished: FinishedRun): Promise<boolean> {
    const { runs, clock } = this.#parts;
    for (;;) {
      try {
        return await runs.finish(lease, finished);
      } catch (error) {
        const isLast = leaseEnd.getTime() - clock().getTime() <= RECORD_PAUSE;
        if (this.#isClosing || isLast) throw error;
        await timers.setTimeout(RECORD_PAUSE);
      }
    }
  }
}

/** The pause after a step that failed, in milliseconds. */
const FAILED_PAUSE = 1_000;

/**
 * Repeats a step until it is closed. A step returns the pause before the next, in milliseconds, which `wake` can end. A
 * step that fails, or takes long, delays no other loop; its failure is logged once until a step succeeds.
 */
class Loop {
  readonly #running: Promise<void>;
  #isClosing = false;
  #pause = new AbortController();

  /** Starts with a step. */
  constructor(step: () => Promise<number>, log: Logger, failure: string) {
    this.#running = this.#run(step, log, failure);
  }

  /** Ends the current pause or, if there is none, the next one. */
  wake(): void {
    this.#pause.abort();
  }

  /** Waits for the step that is running, and begins no other. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.wake();
    await this.#running;
  }

  async #run(step: () => Promise<number>, log: Logger, failure: string): Promise<void> {
    let hasFailed = false;
    while (!this.#isClosing) {
      let pause = FAILED_PAUSE;
      try {
        pause = await step();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) log.error({ err: error }, failure);
        hasFailed = true;
      }
      if (pause <= 0) {
        // Other tasks run between steps, also without a pause.
        await timers.setImmediate();
      } else {
        const { signal } = this.#pause;
        await timers.setTimeout(pause, undefined, { ref: false, signal }).catch(() => {});
        this.#pause = new AbortController();
      }
    }
  }
}
