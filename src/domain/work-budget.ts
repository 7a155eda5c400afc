import { Code, DomainError } from "./errors.ts";

/** Bounds of the work that requests make of the store (CONTRACT 7). Times in milliseconds. */
export const WORK_LIMITS = {
  /** When a request has read for this long, its lists end early, with tokens to go on. */
  request: 500,
  /** A request that has read for this long without a pause lets others go on. */
  slice: 10,
  /** How long one statement of a scan is meant to take. */
  statement: 20,
  /** How long a statement that sorts is meant to take. */
  sort: 80,
  /** How long one page of a list may take to make out of what was found, before it is cut short. */
  page: 100,
  /** A request that has read for longer than this is expensive. */
  expensive: 100,
  /** How many expensive requests of one key may be under way at the same time. */
  expensiveAtOnce: 4,
} as const;

/** What a budget is counted and kept with. */
export interface WorkOptions {
  /** Milliseconds, from a clock that is never put back. */
  readonly clock: () => number;
  /** Resolves when it is this request's turn to go on. */
  readonly pause: () => Promise<void>;
  /** Milliseconds; default: {@link WORK_LIMITS}. */
  readonly limit?: number;
  /** Aborted when nobody waits for the answer any more; absent: somebody always does. */
  readonly signal?: { readonly aborted: boolean };
  /** Called once, when the request becomes expensive; what it throws ends the request. */
  readonly onExpensive?: () => void;
}

/**
 * Counts the time that one request's reads take, over all that is read for its answer. Whoever reads
 * in several steps takes at least one, so that a token always leads further, and ends when the budget
 * is spent.
 */
export class WorkBudget {
  readonly #options: WorkOptions;
  readonly #limit: number;
  #spent = 0;
  #pausedAt = 0;
  #isExpensive = false;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.#limit = options.limit ?? WORK_LIMITS.request;
  }

  /** Milliseconds so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Whether lists are to end now. */
  get isSpent(): boolean {
    return this.#spent >= this.#limit;
  }

  /** Runs a step and counts its time; it must wait for nothing but the store. */
  async spend<T>(step: () => Promise<T>): Promise<T> {
    const start = this.#options.clock();
    const result = await step();
    this.#add(this.#options.clock() - start);
    return result;
  }

  /** Runs a step that waits for nothing, and counts its time. */
  count<T>(step: () => T): T {
    const start = this.#options.clock();
    const result = step();
    this.#add(this.#options.clock() - start);
    return result;
  }

  /**
   * To be awaited between two steps: lets other requests go on when this one has worked for long, and
   * throws CANCELLED `CALL_CANCELLED` when nobody waits for its answer.
   */
  async nextStep(): Promise<void> {
    if (this.#spent - this.#pausedAt >= WORK_LIMITS.slice) {
      this.#pausedAt = this.#spent;
      await this.#options.pause();
    }
    if (this.#options.signal?.aborted) {
      throw new DomainError(Code.CANCELLED, "CALL_CANCELLED", "the caller no longer waits");
    }
  }

  #add(time: number): void {
    this.#spent += time;
    if (this.#isExpensive || this.#spent <= WORK_LIMITS.expensive) return;
    this.#isExpensive = true;
    this.#options.onExpensive?.();
  }
}
