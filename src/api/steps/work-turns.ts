import type { Interceptor } from "@connectrpc/connect";
import { Code, DomainError } from "../../domain/errors.ts";
import { WORK_LIMITS, WorkBudget } from "../../domain/work-budget.ts";
import { callerKeyOf, getPart, setPart } from "./call.ts";

/** The time that a refused caller is asked to wait, in seconds. */
const RETRY_AFTER = 1;

/** The time for which calls begin in one turn of the event loop, in milliseconds. */
const TURN = 20;

/** The clock and the turns that budgets run on. */
export interface WorkDependencies {
  /** The time in milliseconds, by a monotonic clock. */
  readonly clock: () => number;
  readonly turns: Pick<WorkTurns, "pause">;
}

/**
 * Creates the interceptor that gives each call its budget and limits how many expensive calls of one
 * project's keys, or of one account, run at the same time: RESOURCE_EXHAUSTED `EXPENSIVE_READS_LIMIT` beyond
 * that. A call becomes expensive by the time its reads take, so a cheap one is never refused.
 */
export function createWorkInterceptor({ clock, turns }: WorkDependencies): Interceptor {
  /** The number of expensive calls in progress, by caller. */
  const expensive = new Map<string, number>();

  return (next) => async (request) => {
    const { contextValues, signal } = request;
    const key = callerKeyOf(getPart(contextValues, "caller"));
    let isCounted = false;
    const onExpensive = () => {
      const count = expensive.get(key) ?? 0;
      if (count >= WORK_LIMITS.expensiveAtOnce) throw tooManyExpensive();
      expensive.set(key, count + 1);
      isCounted = true;
    };
    const pause = () => turns.pause(key);
    const budget = new WorkBudget({ clock, pause, signal, onExpensive });
    setPart(contextValues, "budget", budget);
    try {
      // Its caller may have gone while it waited for its turn.
      await budget.nextStep();
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
 * The turns in which calls work, on the one thread that they share: the calls of one caller take turns with those of
 * the others, however many each has. One that waited goes on in each turn of the event loop, so that any other event,
 * such as a health check, waits for at most one of them.
 */
export class WorkTurns {
  readonly #now: () => number;
  /** The calls that wait, by caller; the caller whose turn is next is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The time until which calls begin in this turn of the event loop; undefined before its first one. */
  #turnEnd: number | undefined;

  /** `now` is the time in milliseconds by a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Lets a call begin; returns a promise if it has to wait for its turn. */
  begin(caller: string): Promise<void> | undefined {
    this.#turnEnd ??= this.#openTurn();
    if (this.#waiting.size === 0 && this.#now() < this.#turnEnd) return undefined;
    return this.pause(caller);
  }

  /** Resolves when it is the turn of a call that has used up its slice. */
  pause(caller: string): Promise<void> {
    this.#turnEnd ??= this.#openTurn();
    return new Promise((resolve) => {
      const calls = this.#waiting.get(caller) ?? [];
      calls.push(resolve);
      this.#waiting.set(caller, calls);
    });
  }

  #openTurn(): number {
    setImmediate(() => {
      this.#turnEnd = undefined;
      for (const [caller, calls] of this.#waiting) {
        this.#waiting.delete(caller);
        const next = calls.shift();
        if (calls.length > 0) this.#waiting.set(caller, calls);
        this.#turnEnd = this.#openTurn();
        next?.();
        break;
      }
    });
    return this.#now() + TURN;
  }
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
