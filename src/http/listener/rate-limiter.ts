/** The length of a window, in milliseconds. All processes have the same windows, because each begins at a full minute. */
export const RATE_WINDOW = 60_000;

/**
 * The maximum number of keys with a count of their own in a window. Beyond it, the less used half is forgotten. A
 * forgotten or new key starts with the highest count among the forgotten, so that a client cannot pass a limit by
 * hiding among many keys.
 */
const MOST_KEYS = 100_000;

/** The part of a quota above which the count of a key is shared with other processes. */
const SHARED_PART = 0.05;

/** The state of a key after a request. */
export interface Standing {
  readonly isOver: boolean;
  /** The requests left in the window. */
  readonly remaining: number;
  /** The time until the next window, in seconds, rounded up. */
  readonly reset: number;
}

/** The requests of one window by key. */
export interface RateCounts {
  /** The number of the window since 1970. */
  readonly window: number;
  readonly counts: ReadonlyMap<string, number>;
}

interface Entry {
  /** The requests to this process, and how many of them other processes know of. */
  here: number;
  shared: number;
  /** The requests to other processes, or those that may have been forgotten. */
  others: number;
}

/** Limits the requests of each key in a window of a minute. Rejected requests count, too. */
export class RateLimiter {
  readonly quota: number;
  readonly #clock: () => Date;
  #window = 0;
  #entries = new Map<string, Entry>();
  /** The requests that a key may have used before it was forgotten. */
  #forgotten = 0;

  constructor(quota: number, clock: () => Date) {
    this.quota = quota;
    this.#clock = clock;
  }

  /** Counts a request of a key. */
  take(key: string): Standing {
    const now = this.#clock().getTime();
    this.#enter(now);
    const reset = Math.ceil(((this.#window + 1) * RATE_WINDOW - now) / 1_000);
    const entry = this.#entries.get(key) ?? this.#add(key);
    entry.here += 1;
    const remaining = this.quota - entry.here - entry.others;
    return { isOver: remaining < 0, remaining: Math.max(0, remaining), reset };
  }

  /** Returns what other processes must know of: the counts of keys that have used a part of their quota. */
  listUnshared(): RateCounts {
    const counts = new Map<string, number>();
    this.#enter(this.#clock().getTime());
    for (const [key, { here, shared }] of this.#entries) {
      if (here > shared && here >= this.quota * SHARED_PART) counts.set(key, here - shared);
    }
    return { window: this.#window, counts };
  }

  /** Records that the counts of `listUnshared` are shared, with the totals of all processes for their keys. */
  merge({ window, counts }: RateCounts, totals: ReadonlyMap<string, number>): void {
    if (window !== this.#window) return;
    for (const [key, count] of counts) {
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      entry.shared += count;
      entry.others = Math.max(0, (totals.get(key) ?? 0) - entry.shared);
    }
  }

  #enter(now: number): void {
    const window = Math.floor(now / RATE_WINDOW);
    if (window === this.#window) return;
    this.#window = window;
    this.#entries = new Map();
    this.#forgotten = 0;
  }

  #add(key: string): Entry {
    if (this.#entries.size >= MOST_KEYS) this.#forgetHalf();
    const entry: Entry = { here: 0, shared: 0, others: this.#forgotten };
    this.#entries.set(key, entry);
    return entry;
  }

  #forgetHalf(): void {
    const entries = [...this.#entries];
    const counts = new Float64Array(entries.map(([, { here, others }]) => here + others)).sort();
    const forgotten = counts[Math.floor(counts.length / 2)] ?? 0;
    this.#forgotten = forgotten;
    this.#entries = new Map(entries.filter(([, { here, others }]) => here + others > forgotten));
  }
}
