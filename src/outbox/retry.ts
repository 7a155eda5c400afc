import type { SendOutcome } from "./send.ts";

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

/** The consequence of an attempt. */
export type NextStep =
  | { readonly kind: "done" }
  | { readonly kind: "retry"; readonly at: Date }
  | {
      readonly kind: "give_up";
      readonly reason: "GONE" | "TARGET_NOT_ALLOWED" | "RETRY_PERIOD_OVER";
    };

/**
 * Decides what follows an attempt. A status accepted by `isDone` ends the run; 410 and a target that is not
 * allowed fail it at once. Any other outcome is retried, with a wait that grows fourfold each time:
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
  isDone = isSuccess,
}: Attempt): NextStep {
  if (outcome.kind === "responded") {
    if (isDone(outcome.status)) return { kind: "done" };
    if (outcome.status === GONE) return { kind: "give_up", reason: "GONE" };
  } else if (outcome.reason === "TARGET_NOT_ALLOWED") {
    return { kind: "give_up", reason: "TARGET_NOT_ALLOWED" };
  }
  const backoff = Math.min(FIRST_WAIT * GROWTH ** (attempt - 1), MAX_WAIT);
  const asked = outcome.kind === "responded" ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0;
  const wait = Math.max(backoff * (1 + JITTER * random()), Math.min(asked, MAX_RETRY_AFTER));
  const at = new Date(now.getTime() + Math.round(wait));
  if (at.getTime() - firstTime.getTime() > RETRY_PERIOD) {
    return { kind: "give_up", reason: "RETRY_PERIOD_OVER" };
  }
  return { kind: "retry", at };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
