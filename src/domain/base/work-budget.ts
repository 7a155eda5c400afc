import { Code, DomainError } from "./errors.ts";
import type { Steps } from "./steps.ts";

/** Limits on what a request may read and render (contract: limits 6); times in milliseconds. */
export const WORK_LIMITS = {
  /** Read time that ends a request's lists early, with page tokens to continue. */
  request: 500,
  /** Read time that makes a request yield to others. */
  slice: 10,
  /** Target duration of one statement of a scan. */
  statement: 20,
  /** Target duration of a statement that sorts. */
  sort: 80,
  /** Maximum time to build one page of a list from the rows found; after it the page is cut short. */
  page: 100,
  /** Read time above which a request counts as expensive. */
  expensive: 100,
  /** Total size of the items in all lists of a response, in bytes; above it the lists end early as well. */
  bytes: 4 * 1024 * 1024,
  /** Maximum number of concurrent expensive requests per key. */
  expensiveAtOnce: 4,
} as const;

/** Options of a {@link WorkBudget}. */
export interface WorkOptions {
  /** Returns milliseconds of a monotonic clock. */
  readonly clock: () => number;
  /** Resolves when this request may continue. */
  readonly pause: () => Promise<void>;
  /** The organization of the caller; default: none. */
  readonly organizationId?: string;
  /** Milliseconds; default: `WORK_LIMITS.request`. */
  readonly limit?: number;
  /** Aborted when the caller no longer waits; absent: the request cannot be cancelled. */
  readonly signal?: AbortSignal;
  /** Called once, when the request becomes expensive; an error that it throws ends the request. */
  readonly onExpensive?: () => void;
}

/**
 * Counts the time that a request spends on reads and on rendering a page. A reader that works in several steps always
 * takes at least one, so that every page token makes progress, and stops when the budget is spent.
 */
export class WorkBudget {
  readonly #options: WorkOptions;
  readonly #limit: number;
  #spent = 0;
  #expected = 0;
  #bytes = 0;
  #pausedAt = 0;
  #steps: Promise<void> = Promise.resolve();
  #pacedAt: number | undefined;
  #isExpensive = false;

  constructor(options: WorkOptions) {
    this.#options = options;
    this.#limit = options.limit ?? WORK_LIMITS.request;
  }

  /** Milliseconds spent so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Aborted when the caller no longer waits. */
  get signal(): AbortSignal | undefined {
    return this.#options.signal;
  }

  /** The organization of the caller; organizations take turns with long reads. */
  get organizationId(): string {
    return this.#options.organizationId ?? "";
  }

  /** True for a request that has taken more than its slice or is going to: its reads let other requests go first. */
  get isLong(): boolean {
    const isExpected = this.#spent + this.#expected > WORK_LIMITS.expensive;
    return isExpected || this.#spent >= WORK_LIMITS.slice;
  }

  /** True once the time is up. */
  get isOutOfTime(): boolean {
    return this.#spent >= this.#limit;
  }

  /** True once lists must end. */
  get isSpent(): boolean {
    return this.isOutOfTime || this.#bytes >= WORK_LIMITS.bytes;
  }

  /** Counts an item of a list by its bytes; returns false if the lists are too large with it. */
  takeBytes(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= WORK_LIMITS.bytes;
  }

  /** Runs an asynchronous step and counts its time. The step must await only the store. */
  async spend<T>(step: () => Promise<T>): Promise<T> {
    const start = this.#options.clock();
    const result = await step();
    this.#add(this.#options.clock() - start);
    return result;
  }

  /** Runs a synchronous step and counts its time. */
  count<T>(step: () => T): T {
    const start = this.#options.clock();
    const result = step();
    this.#add(this.#options.clock() - start);
    return result;
  }

  /** Runs work in steps, counts its time, and yields to other requests between two steps. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      const step = this.count(() => steps.next());
      if (step.done) return step.value;
      if (this.#spent - this.#pausedAt >= WORK_LIMITS.slice) await this.nextStep();
    }
  }

  /**
   * Yields to other requests when this one has used up its slice; call it between two steps. Lists of a request that are
   * read at the same time take their steps one after the other. `expected` is the time of the next step in milliseconds,
   * counted before the step runs. CANCELLED `CALL_CANCELLED` when the caller no longer waits.
   */
  nextStep(expected = 0): Promise<void> {
    this.#steps = this.#steps.then(() => {
      if (this.#spent - this.#pausedAt < WORK_LIMITS.slice) return this.#begin(expected);
      this.#pausedAt = this.#spent;
      return this.#options.pause().then(() => this.#begin(expected));
    });
    return this.#steps;
  }

  /**
   * Counts the time since the last pace of a request that works all the time, such as a write, and yields as
   * {@link nextStep} does.
   */
  async pace(): Promise<void> {
    const now = this.#options.clock();
    this.#add(now - (this.#pacedAt ?? now));
    await this.nextStep();
    this.#pacedAt = this.#options.clock();
  }

  /** Throws CANCELLED `CALL_CANCELLED` when the caller no longer waits. */
  checkCancelled(): void {
    if (!this.signal?.aborted) return;
    throw new DomainError(Code.CANCELLED, "CALL_CANCELLED", "the caller cancelled the call");
  }

  #begin(expected: number): void {
    this.checkCancelled();
    this.#expected = expected;
    this.#noteExpensive(this.#spent + expected);
  }

  #add(time: number): void {
    this.#spent += time;
    this.#noteExpensive(this.#spent);
  }

  #noteExpensive(time: number): void {
    if (this.#isExpensive || time <= WORK_LIMITS.expensive) return;
    this.#isExpensive = true;
    this.#options.onExpensive?.();
  }
}
