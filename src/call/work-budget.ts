import type { Interceptor } from "@connectrpc/connect";
import { Code, DomainError } from "../domain/errors.ts";
import { WORK_LIMITS, WorkBudget } from "../domain/work-budget.ts";
import { workBudgetKey } from "./call-budget.ts";
import { type Caller, findCaller } from "./caller.ts";

/** How long a caller is asked to wait after a refusal, in seconds. */
const RETRY_AFTER = 1;

/** What budgets are counted and kept with. */
export interface WorkDependencies {
  /** Milliseconds, from a clock that is never put back. */
  readonly clock: () => number;
  /** Resolves when it is the caller's turn to go on. */
  readonly pause: () => Promise<void>;
}

/**
 * Creates the interceptor that gives each call its budget, and bounds how many expensive calls of one
 * project's keys, or of one account, are under way at the same time: RESOURCE_EXHAUSTED
 * `EXPENSIVE_READS_LIMIT` for one more. What is expensive is decided by the time that a call's reads
 * have taken, so a cheap one is never refused.
 */
export function createWorkInterceptor({ clock, pause }: WorkDependencies): Interceptor {
  /** How many expensive calls are under way, by caller. */
  const expensive = new Map<string, number>();

  return (next) => async (request) => {
    const { contextValues, signal } = request;
    const key = toKey(findCaller(contextValues));
    let isCounted = false;
    const onExpensive = () => {
      const count = expensive.get(key) ?? 0;
      if (count >= WORK_LIMITS.expensiveAtOnce) throw tooManyExpensive();
      expensive.set(key, count + 1);
      isCounted = true;
    };
    contextValues.set(workBudgetKey, new WorkBudget({ clock, pause, signal, onExpensive }));
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

function toKey(caller: Caller | undefined): string {
  if (caller === undefined) return "";
  return caller.kind === "account"
    ? `account ${caller.account.id}`
    : `project ${caller.key.projectId}`;
}

function tooManyExpensive(): DomainError {
  const limit = WORK_LIMITS.expensiveAtOnce;
  return new DomainError(
    Code.RESOURCE_EXHAUSTED,
    "EXPENSIVE_READS_LIMIT",
    `${limit} expensive reads of this caller are under way; wait for one to end, or narrow the filter`,
    { metadata: { limit: String(limit) }, retryAfter: RETRY_AFTER },
  );
}
