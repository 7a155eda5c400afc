import type { Logger } from "pino";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { createRunSlots } from "../domain/actions/run-slots.ts";
import type { Store, TakenRun } from "../storage/store.ts";
import { attemptRun } from "./attempt.ts";
import type { Sender } from "./send.ts";
import { createWakeSignal } from "./wake-signal.ts";

/** The lease of a worker on a run, in milliseconds: three times the time limits of its name and of sending. */
const LEASE = 60_000;

/** The rest of its lease that a run needs to be sent, in milliseconds: more than both time limits. */
const LEAST_LEASE = 30_000;

/** The runs taken in one transaction. */
const TAKEN_AT_ONCE = 8;

/** The pause after a claim that examined many turns and found no run with a free slot, in milliseconds. */
const VAIN_PAUSE = 50;

/** The interval of polling for runs of other processes, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** The retention of ended runs, in milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/** The interval of pruning ended runs, in milliseconds, and the number pruned at a time. */
const PRUNE_INTERVAL = 3_600_000;
const PRUNED_AT_ONCE = 500;

/** The outcome of an attempt, as counted. */
export type AttemptOutcome = "succeeded" | "retried" | "given_up";

/** The dependencies of a worker. */
export interface ActionWorkerParts {
  readonly runs: Pick<Store["actionRuns"], "finish" | "nextDueTime" | "prune" | "release" | "take">;
  readonly sender: Sender;
  readonly clock: () => Date;
  readonly createId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/** Processes the outbox of actions and webhooks. */
export interface ActionWorker {
  /** The attempts since the start, by outcome. */
  readonly counts: Readonly<Record<AttemptOutcome, number>>;
  /** Announces runs that were created. */
  wake(): void;
  /**
   * Takes no more runs and waits for requests in progress, at most `grace` milliseconds, before closing their
   * connections. Runs that were not sent are released.
   */
  close(grace: number): Promise<void>;
}

/**
 * Starts a worker. It leases due runs in short transactions, sends them outside of transactions, at most
 * `RUN_SLOT_LIMITS` at a time, and records the outcomes. It looks for runs when it is woken, when the next
 * known run is due, and once a second for those of other processes. If a process dies, its leases expire and
 * the runs are sent again with the same id and body.
 */
export function startActionWorker(parts: ActionWorkerParts): ActionWorker {
  const { runs, sender, clock, createId, log } = parts;
  const counts = { succeeded: 0, retried: 0, given_up: 0 };
  const sending = new Set<Promise<void>>();
  const slots = createRunSlots();
  const wakeSignal = createWakeSignal();
  let isClosing = false;
  let pruneTime = clock().getTime();
  let hasFailed = false;

  async function work(): Promise<void> {
    while (!isClosing) {
      let pause = POLL_INTERVAL;
      try {
        await prune();
        const wait = await untilDue();
        const taken = wait <= 0 ? await takeSome() : "none";
        hasFailed = false;
        if (taken === "some") {
          // Lets other tasks run between batches.
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
        if (wait > 0) pause = Math.min(wait, POLL_INTERVAL);
        else if (taken === "in_vain") pause = VAIN_PAUSE;
      } catch (fault) {
        // Once for a database that is away.
        if (!hasFailed) log.error({ err: fault }, "cannot process the outbox of actions");
        hasFailed = true;
      }
      await wakeSignal.wait(pause);
    }
  }

  /** Returns the time until the next run is due, in milliseconds. */
  async function untilDue(): Promise<number> {
    if (slots.countFree() === 0) return POLL_INTERVAL;
    const due = await runs.nextDueTime();
    return due === undefined ? POLL_INTERVAL : due.getTime() - clock().getTime();
  }

  async function takeSome(): Promise<"some" | "in_vain" | "none"> {
    const now = clock();
    const leaseEnd = new Date(now.getTime() + LEASE);
    const lease = createId();
    const taken = await runs.take({ lease, now, leaseEnd, slots, limit: TAKEN_AT_ONCE });
    // After a long pause other workers may already have taken over the runs; `release` affects only those
    // that are still under this lease.
    const isLate = leaseEnd.getTime() - clock().getTime() < LEAST_LEASE;
    if (isClosing || isLate) {
      if (taken.runs.length > 0) await runs.release(lease);
      return isLate ? "some" : "none";
    }
    for (const run of taken.runs) begin(run, lease);
    if (taken.runs.length > 0) return "some";
    return taken.isCut ? "in_vain" : "none";
  }

  function begin(taken: TakenRun, lease: string): void {
    slots.take(taken.holder);
    const sent = sendOne(taken, lease)
      .catch((fault) =>
        log.error({ err: fault, run: taken.run.id }, "cannot record the outcome of an action run"),
      )
      .finally(() => {
        sending.delete(sent);
        slots.give(taken.holder);
        wakeSignal.notify();
      });
    sending.add(sent);
  }

  async function sendOne(taken: TakenRun, lease: string): Promise<void> {
    const finished = await attemptRun(taken, { ...parts, send: sender.send });
    const { id, actionId, webhookId, state, reason } = finished.run;
    if (reason === "NAME_TIMEOUT") slots.rest(taken.holder.host, finished.now);
    if (!(await runs.finish(lease, finished))) {
      log.warn({ run: id }, "the lease of an action run expired before its outcome was recorded");
      return;
    }
    counts[toOutcome(state)] += 1;
    if (state === ActionRunState.FAILED) {
      const sender = webhookId ? { webhook: webhookId } : { action: actionId };
      log.warn({ run: id, ...sender, reason }, "action run given up");
    }
  }

  async function prune(): Promise<void> {
    const now = clock().getTime();
    if (now < pruneTime) return;
    const count = await runs.prune(new Date(now - KEPT), PRUNED_AT_ONCE);
    pruneTime = now + (count === PRUNED_AT_ONCE ? POLL_INTERVAL : PRUNE_INTERVAL);
  }

  const working = work();
  return {
    counts,
    wake: () => wakeSignal.notify(),
    async close(grace) {
      isClosing = true;
      wakeSignal.notify();
      const timer = setTimeout(() => sender.close(), grace);
      await working;
      await Promise.all(sending);
      clearTimeout(timer);
      sender.close();
    },
  };
}

function toOutcome(state: ActionRunState): AttemptOutcome {
  if (state === ActionRunState.PENDING) return "retried";
  return state === ActionRunState.SUCCEEDED ? "succeeded" : "given_up";
}
