import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { concludeRun, endRun, retryRun } from "../domain/actions/action-run.ts";
import { trimEnd } from "../domain/base/text.ts";
import type { FinishedRun, TakenRun } from "../storage/contract/outbox.ts";
import type { OutgoingRequest, Send, SendOutcome } from "./send.ts";
import { signWebhook } from "./signature.ts";

/**
 * Sends a run once and returns its next state; `random` is from 0 to 1. A run fails without being sent if its action or
 * webhook was deleted (`ACTION_NOT_FOUND`, `WEBHOOK_NOT_FOUND`) or disabled (`DISABLED`). So does a run whose action has
 * changed its kind since the run was created (`REQUEST_NOT_ACCEPTED`).
 */
export async function attemptRun(
  taken: TakenRun,
  { send, clock, random }: { send: Send; clock: () => Date; random: () => number },
): Promise<FinishedRun> {
  const start = clock();
  const { run, firstAttemptTime = start } = taken;
  const request = createRequest(taken, start);
  if (typeof request === "string") {
    return { run: endRun(run, ActionRunState.FAILED, request, start), now: start };
  }
  const outcome = await send(request);
  const now = clock();
  const next = decideNext({
    attempt: run.attemptCount + 1,
    outcome,
    now,
    firstTime: firstAttemptTime,
    random,
    // In the Connect protocol, only 200 means success.
    ...(taken.payload.kind === "connect_call" && { isDone: (status) => status === 200 }),
  });
  if (next instanceof Date) {
    return { run: retryRun(run, reasonOf(outcome), next), firstAttemptTime, now };
  }
  const [state, reason] =
    next === "done"
      ? ([ActionRunState.SUCCEEDED, ""] as const)
      : ([ActionRunState.FAILED, reasonOf(outcome)] as const);
  return { run: concludeRun(run, state, reason, now), firstAttemptTime, now };
}

/** Creates the request to the action's current target, signed with its secret, or returns the reason why there is none. */
function createRequest({ run, payload, sender }: TakenRun, time: Date): OutgoingRequest | string {
  if (sender === undefined) return run.webhookId ? "WEBHOOK_NOT_FOUND" : "ACTION_NOT_FOUND";
  const { target, secret, isDisabled } = sender;
  if (isDisabled) return "DISABLED";
  if (target?.kind !== payload.kind) return "REQUEST_NOT_ACCEPTED";
  const { body } = payload;
  const headers = {
    "content-type": "application/json",
    "user-agent": "Marquee",
    ...payload.trace,
    ...signWebhook({ secret, id: run.id, time, body }),
  };
  if (payload.kind === "webhook") return { url: target.url, headers, body };
  return {
    url: `${trimEnd(target.url, "/")}/${payload.method}`,
    headers: { ...headers, "connect-protocol-version": "1" },
    body,
  };
}

function reasonOf(outcome: SendOutcome): string {
  return outcome.kind === "responded" ? `STATUS_${outcome.status}` : outcome.reason;
}

/** The wait after the first attempt, in milliseconds. */
const FIRST_WAIT = 5_000;

/** The growth of the wait with each further attempt, as a factor. */
const GROWTH = 4;

/** The longest wait, in milliseconds. */
const MAX_WAIT = 6 * 60 * 60 * 1_000;

/** The random extension of a wait, at most this fraction of it, which spreads attempts. */
const JITTER = 0.1;

/** The longest `Retry-After` that is respected, in milliseconds. */
const MAX_RETRY_AFTER = 24 * 60 * 60 * 1_000;

/** How long after the first attempt retries are made, in milliseconds. */
const RETRY_PERIOD = 72 * 60 * 60 * 1_000;

/** The status of a receiver that no longer exists. */
const GONE = 410;

/** A finished attempt. */
export interface Attempt {
  /** Counted from 1. */
  readonly attempt: number;
  readonly outcome: SendOutcome;
  /** The end of the attempt. */
  readonly now: Date;
  /** The start of the first attempt. */
  readonly firstTime: Date;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Reports whether a status means success; default: any 2xx. */
  readonly isDone?: (status: number) => boolean;
}

/**
 * Decides what follows an attempt: the time of the next, or the end. A status accepted by `isDone` ends the run; 410 and a
 * target that is not allowed fail it at once. Any other outcome is retried, with a wait that grows fourfold each time:
 *
 * | after attempt | wait            | since the first           |
 * | ------------- | --------------- | ------------------------- |
 * | 1             | 5 s             | 5 s                       |
 * | 2             | 20 s            | 25 s                      |
 * | 3             | 1 min 20 s      | 1 min 45 s                |
 * | 4             | 5 min 20 s      | 7 min 5 s                 |
 * | 5             | 21 min 20 s     | 28 min 25 s               |
 * | 6             | 1 h 25 min 20 s | 1 h 53 min 45 s           |
 * | 7             | 5 h 41 min 20 s | 7 h 35 min 5 s            |
 * | 8 and more    | 6 h             | 13 h 35 min 5 s and so on |
 *
 * Each wait is randomly extended by up to a tenth. A longer `Retry-After` is respected, up to 24 hours. If
 * the next attempt would come more than 72 hours after the first, the run fails at once, which
 * happens after 17 or 18 attempts.
 */
export function decideNext({
  attempt,
  outcome,
  now,
  firstTime,
  random,
  isDone = (status) => status >= 200 && status < 300,
}: Attempt): Date | "done" | "give_up" {
  let asked = 0;
  if (outcome.kind === "responded") {
    if (isDone(outcome.status)) return "done";
    if (outcome.status === GONE) return "give_up";
    asked = (outcome.retryAfterSeconds ?? 0) * 1_000;
  } else if (outcome.reason === "TARGET_NOT_ALLOWED") {
    return "give_up";
  }
  const backoff = Math.min(FIRST_WAIT * GROWTH ** (attempt - 1), MAX_WAIT);
  const wait = Math.max(backoff * (1 + JITTER * random()), Math.min(asked, MAX_RETRY_AFTER));
  const next = new Date(now.getTime() + Math.round(wait));
  return next.getTime() - firstTime.getTime() > RETRY_PERIOD ? "give_up" : next;
}
