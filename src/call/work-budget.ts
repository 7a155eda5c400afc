import type { Interceptor } from "@connectrpc/connect";
import { Code, DomainError } from "../domain/errors.ts";
import { WORK_LIMITS, WorkBudget } from "../domain/work-budget.ts";
import { type Caller, getPart, setPart } from "./context.ts";

/** The time that a refused caller is asked to wait, in seconds. */
const RETRY_AFTER = 1;

/** The clock and the scheduler that budgets run on. */
export interface WorkDependencies {
  /** The time in milliseconds, by a monotonic clock. */
  readonly clock: () => number;
  /** Resolves when it is the call's turn to continue. */
  readonly pause: () => Promise<void>;
}

/**
 * Creates the interceptor that gives each call its budget and limits how many expensive calls of one
 * project's keys, or of one account, run at the same time: RESOURCE_EXHAUSTED `EXPENSIVE_READS_LIMIT` beyond
 * that. A call becomes expensive by the time its reads take, so a cheap one is never refused.
 */
export function createWorkInterceptor({ clock, pause }: WorkDependencies): Interceptor {
  /** The number of expensive calls in progress, by caller. */
  const expensive = new Map<string, number>();

  return (next) => async (request) => {
    const { contextValues, signal } = request;
    const key = toKey(getPart(contextValues, "caller"));
    let isCounted = false;
    const onExpensive = () => {
      const count = expensive.get(key) ?? 0;
      if (count >= WORK_LIMITS.expensiveAtOnce) throw tooManyExpensive();
      expensive.set(key, count + 1);
      isCounted = true;
    };
    setPart(contextValues, "budget", new WorkBudget({ clock, pause, signal, onExpensive }));
    try {
      return await next(request);
    } finally {
      if (isCounted) release(key);
    }
  };

  function release(key: string): void {
    const count = expensive.get(key) ?? 0;
    if (count > 1) expensive.set(key, count - 1);
    else expensive.delete(key);
  }
}

/**
 * Creates the queue of long-running requests: one continues in each turn of the event loop, so that any other
 * request waits for at most one of them.
 */
export function createWorkTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}

function toKey(caller: Caller): string {
  // Account ids are unique only in an organization; no id contains a space.
  return caller.kind === "account"
    ? `account ${caller.account.organizationId} ${caller.account.id}`
    : `project ${caller.key.projectId}`;
}

function tooManyExpensive(): DomainError {
  const limit = WORK_LIMITS.expensiveAtOnce;
  return new DomainError(
    Code.RESOURCE_EXHAUSTED,
    "EXPENSIVE_READS_LIMIT",
    `${limit} expensive reads of this caller are in progress; wait for one to end, or narrow the filter`,
    { metadata: { limit: String(limit) }, retryAfter: RETRY_AFTER },
  );
}
