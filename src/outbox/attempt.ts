import { ActionRunState } from "../../gen/svc/studio/annotations/action_run/v1/action_run_pb.ts";
import { concludeRun, endRun, retryRun } from "../domain/actions/action-run.ts";
import { trimEnd } from "../domain/base/text.ts";
import type { FinishedRun, TakenRun } from "../storage/contract/outbox.ts";
import { decideNext } from "./retry.ts";
import type { OutgoingRequest, Send, SendOutcome } from "./send.ts";
import { signWebhook } from "./signature.ts";

/** The dependencies of an attempt. */
export interface AttemptParts {
  readonly send: Send;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Sends a run once and returns its next state. A run fails without being sent if its action or webhook was deleted
 * (`ACTION_NOT_FOUND`, `WEBHOOK_NOT_FOUND`) or disabled (`DISABLED`). So does a run whose action has changed its kind
 * since the run was created (`REQUEST_NOT_ACCEPTED`).
 */
export async function attemptRun(
  taken: TakenRun,
  { send, clock, random }: AttemptParts,
): Promise<FinishedRun> {
  const start = clock();
  const { run, firstAttemptTime = start } = taken;
  const request = createRequest(taken, start);
  if (typeof request === "string") {
    return { run: endRun(run, ActionRunState.FAILED, request, start), now: start };
  }
  const outcome = await send(request);
  const now = clock();
  const attempt = run.attemptCount + 1;
  const isConnect = taken.payload.kind === "connect_call";
  const next = decideNext({
    attempt,
    outcome,
    now,
    firstTime: firstAttemptTime,
    random,
    // In the Connect protocol, only 200 means success.
    ...(isConnect && { isDone: (status: number) => status === 200 }),
  });
  switch (next.kind) {
    case "done":
      return { run: concludeRun(run, ActionRunState.SUCCEEDED, "", now), firstAttemptTime, now };
    case "retry":
      return { run: retryRun(run, reasonOf(outcome), next.at), firstAttemptTime, now };
    case "give_up": {
      const reason = reasonOf(outcome);
      return { run: concludeRun(run, ActionRunState.FAILED, reason, now), firstAttemptTime, now };
    }
    default:
      return next satisfies never;
  }
}

/**
 * Creates the request to the action's current target, signed with its secret, or returns the reason why there is
 * none.
 */
function createRequest(
  { run, payload, action }: TakenRun,
  time: Date,
):
  | OutgoingRequest
  | "ACTION_NOT_FOUND"
  | "WEBHOOK_NOT_FOUND"
  | "DISABLED"
  | "REQUEST_NOT_ACCEPTED" {
  if (action === undefined) return run.webhookId ? "WEBHOOK_NOT_FOUND" : "ACTION_NOT_FOUND";
  if (action.isDisabled) return "DISABLED";
  const { kind } = action.value;
  const { body } = payload;
  const headers = {
    "content-type": "application/json",
    "user-agent": "Marquee",
    ...payload.trace,
    ...signWebhook({ secret: action.secret, id: run.id, time, body }),
  };
  if (payload.kind === "webhook" && kind.case === "webhook") {
    return { url: kind.value.url, headers, body };
  }
  if (payload.kind === "connect_call" && kind.case === "connectCall") {
    return {
      url: `${trimEnd(kind.value.baseUrl, "/")}/${payload.method}`,
      headers: { ...headers, "connect-protocol-version": "1" },
      body,
    };
  }
  return "REQUEST_NOT_ACCEPTED";
}

function reasonOf(outcome: SendOutcome): string {
  return outcome.kind === "responded" ? `STATUS_${outcome.status}` : outcome.reason;
}
