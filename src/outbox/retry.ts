import type { SendOutcome } from "./send.ts";

/** How long is waited after the first attempt, in milliseconds. */
const FIRST_WAIT = 5_000;

/** How many times as long is waited after each further attempt. */
const GROWTH = 4;

/** How long is waited at most, in milliseconds. */
const MAX_WAIT = 6 * 60 * 60 * 1_000;

/** How much longer is waited at most, as a part of the wait, so that attempts spread. */
const JITTER = 0.1;

/** How long a receiver may put an attempt off, in milliseconds. */
const MAX_RETRY_AFTER = 24 * 60 * 60 * 1_000;

/** How long after the first attempt another one may be made, in milliseconds. */
const RETRY_PERIOD = 72 * 60 * 60 * 1_000;

/** The status with which a receiver says that it is gone for good. */
const GONE = 410;

/** An attempt that has ended. */
export interface Attempt {
  /** 1 is the first. */
  readonly attempt: number;
  readonly outcome: SendOutcome;
  /** When it ended. */
  readonly now: Date;
  /** When the first attempt was made. */
  readonly firstTime: Date;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Tells whether a status means that the receiver took it; default: 2xx does. */
  readonly isDone?: (status: number) => boolean;
}

/** What follows an attempt. */
export type NextStep =
  | { readonly kind: "done" }
  | { readonly kind: "retry"; readonly at: Date }
  | {
      readonly kind: "give_up";
      readonly reason: "GONE" | "TARGET_NOT_ALLOWED" | "RETRY_PERIOD_OVER";
    };

/**
 * Decides what follows an attempt. A status of 2xx ends it, or one that `isDone`; 410 and a target that is not allowed
 * give it up. After anything else it is tried again, and four times as long is waited each time:
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
 * Each wait is up to a tenth longer, by chance. `Retry-After`, of which at most 24 hours count, is
 * waited for if that is longer. What would come more than 72 hours after the first attempt is given
 * up at once; that is after 17 or 18 attempts.
 */
export function decideNext({
  attempt,
  outcome,
  now,
  firstTime,
  random,
  isDone = isSuccess,
}: Attempt): NextStep {
  if (outcome.kind === "answered") {
    if (isDone(outcome.status)) return { kind: "done" };
    if (outcome.status === GONE) return { kind: "give_up", reason: "GONE" };
  } else if (outcome.reason === "TARGET_NOT_ALLOWED") {
    return { kind: "give_up", reason: "TARGET_NOT_ALLOWED" };
  }
  const backoff = Math.min(FIRST_WAIT * GROWTH ** (attempt - 1), MAX_WAIT);
  const asked = outcome.kind === "answered" ? (outcome.retryAfterSeconds ?? 0) * 1_000 : 0;
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
