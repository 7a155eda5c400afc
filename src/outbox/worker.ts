import type { Logger } from "pino";
import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { createRunSlots } from "../domain/actions/run-slots.ts";
import type { ActionRunStore, TakenRun } from "../storage/action-run-store.ts";
import { attemptRun } from "./attempt.ts";
import type { Sender } from "./send.ts";
import { createBell } from "./wake-signal.ts";

/** How long a run is held by who sends it, in milliseconds: four times as long as sending may take. */
const LEASE = 60_000;

/** How much of its lease a run must have left to be sent, in milliseconds: more than sending may take. */
const LEAST_LEASE = 30_000;

/** How many runs are taken in one transaction. */
const TAKEN_AT_ONCE = 8;

/** How long runs of other processes may go unseen, in milliseconds. */
const POLL_INTERVAL = 1_000;

/** How long runs that ended are kept, in milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/** How often is looked for runs to be forgotten, in milliseconds, and how many are at a time. */
const PRUNE_INTERVAL = 3_600_000;
const PRUNED_AT_ONCE = 500;

/** What an attempt led to. */
export type AttemptOutcome = "succeeded" | "retried" | "failed";

/** What a worker stands on. */
export interface ActionWorkerParts {
  readonly runs: Pick<ActionRunStore, "finish" | "nextDueTime" | "prune" | "release" | "take">;
  readonly sender: Sender;
  readonly clock: () => Date;
  readonly createId: () => string;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
}

/** Works off the outbox of actions. */
export interface ActionWorker {
  /** How many attempts led to what, since the start. */
  readonly counts: Readonly<Record<AttemptOutcome, number>>;
  /** Says that a run was made or will be as soon as its transaction ends. */
  wake(): void;
  /**
   * Takes no more runs and waits for those that are being sent, at most so many milliseconds; then
   * their connections are cut. What is not sent is given back.
   */
  close(grace: number): Promise<void>;
}

/**
 * Starts a worker. It takes runs that are due under a lease, in short transactions, sends them outside of
 * any, as many at the same time as `RUN_SLOT_LIMITS` says, and records what became of them. It looks for runs when it is woken, when the next known one is
 * due, and once a second for those of other processes. A process that dies leaves a lease that ends; the
 * run is then sent again with the same id and body.
 */
export function startActionWorker(parts: ActionWorkerParts): ActionWorker {
  const { runs, sender, clock, createId, log } = parts;
  const counts = { succeeded: 0, retried: 0, failed: 0 };
  const sending = new Set<Promise<void>>();
  const slots = createRunSlots();
  const bell = createBell();
  let isClosing = false;
  let isWoken = false;
  let pruneTime = clock().getTime();

  async function work(): Promise<void> {
    while (!isClosing) {
      let pause = POLL_INTERVAL;
      try {
        await prune();
        const wait = await untilDue();
        if (wait > 0) pause = Math.min(wait, POLL_INTERVAL);
        else if (await takeSome()) {
          // Others have waited meanwhile.
          await new Promise((resolve) => setImmediate(resolve));
          continue;
        }
      } catch (fault) {
        log.error({ err: fault }, "actions are not worked off");
      }
      await bell.wait(pause);
    }
  }

  /** How long no run will be due, in milliseconds. */
  async function untilDue(): Promise<number> {
    if (slots.countFree() === 0) return POLL_INTERVAL;
    // Whoever woke it may still be in the transaction; taking waits for its end, reading would not.
    if (isWoken) return 0;
    const due = await runs.nextDueTime();
    return due === undefined ? POLL_INTERVAL : due.getTime() - clock().getTime();
  }

  async function takeSome(): Promise<boolean> {
    isWoken = false;
    const now = clock();
    const leaseEnd = new Date(now.getTime() + LEASE);
    const lease = createId();
    const taken = await runs.take({ lease, now, leaseEnd, slots, limit: TAKEN_AT_ONCE });
    // Who slept since then leaves the runs to others, who may have them already: what is held under another
    // lease is not given back.
    const isLate = leaseEnd.getTime() - clock().getTime() < LEAST_LEASE;
    if (isClosing || isLate) {
      if (taken.runs.length > 0) await runs.release(lease);
      return isLate;
    }
    for (const run of taken.runs) begin(run, lease);
    return taken.runs.length > 0 || taken.isCut;
  }

  function begin(taken: TakenRun, lease: string): void {
    slots.take(taken.holder);
    const sent = sendOne(taken, lease)
      .catch((fault) => log.error({ err: fault, run: taken.run.id }, "an action is not recorded"))
      .finally(() => {
        sending.delete(sent);
        slots.give(taken.holder);
        bell.ring();
      });
    sending.add(sent);
  }

  async function sendOne(taken: TakenRun, lease: string): Promise<void> {
    const finished = await attemptRun(taken, { ...parts, send: sender.send });
    const { id, actionId, state, reason } = finished.run;
    if (!(await runs.finish(lease, finished))) {
      log.warn({ run: id }, "the lease of an action ended before what became of it was recorded");
      return;
    }
    counts[toOutcome(state)] += 1;
    if (state === ActionRunState.FAILED) {
      log.warn({ run: id, action: actionId, reason }, "an action was given up");
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
    wake() {
      isWoken = true;
      bell.ring();
    },
    async close(grace) {
      isClosing = true;
      bell.ring();
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
  return state === ActionRunState.SUCCEEDED ? "succeeded" : "failed";
}
