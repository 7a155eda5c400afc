import { hash } from "node:crypto";
import type { Logger } from "pino";
import { toAddressBlock } from "../../network/ip-address.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { Exchange } from "./exchange.ts";
import { httpError, type Rejection } from "./rejection.ts";

/** The most requests in a minute; 0: no limit. */
export interface RateQuotas {
  /** The requests with the same token in their Authorization header, or key in their URL. */
  readonly perCredential: number;
  /** The requests of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly perAddress: number;
}

/** The dependencies of the limits. */
export interface RateLimitOptions {
  readonly quotas: RateQuotas;
  readonly counts: Store["rateCounts"];
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The interval between exchanges of counts with other processes, in milliseconds. */
const EXCHANGE_INTERVAL = 1_000;

/** One of the limits. */
interface Limit {
  readonly name: string;
  readonly limiter: RateLimiter;
  /** Returns the key of a request; undefined if it has none. */
  readonly keyOf: (exchange: Exchange) => string | undefined;
}

/**
 * Limits the requests of a minute by credential and by IP address. Every process limits by itself and exchanges its
 * counts each second. Together they exceed the quota by at most the requests of one second, and a twentieth of the
 * quota per process. Without the database, each process limits alone.
 */
export class RateLimits {
  /** The requests that each limit has rejected. */
  readonly rejected: Map<string, number>;
  readonly #limits: readonly Limit[];
  readonly #policy: string;
  readonly #counts: Store["rateCounts"];
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isExchanging = false;
  #hasFailed = false;

  constructor({ quotas, counts, clock, log }: RateLimitOptions) {
    const limits = [
      {
        name: "credential",
        quota: quotas.perCredential,
        keyOf: ({ credential }: Exchange) => credential,
      },
      {
        name: "address",
        quota: quotas.perAddress,
        keyOf: ({ address }: Exchange) => toAddressBlock(address),
      },
    ].filter(({ quota }) => quota > 0);
    this.#limits = limits.map(({ name, quota, keyOf }) => {
      return { name, keyOf, limiter: new RateLimiter(quota, clock) };
    });
    this.#policy = limits
      .map(({ name, quota }) => `"${name}";q=${quota};w=${RATE_WINDOW / 1_000}`)
      .join(", ");
    this.rejected = new Map(limits.map(({ name }) => [name, 0]));
    this.#counts = counts;
    this.#log = log;
    this.#timer = setInterval(() => void this.#exchange(), EXCHANGE_INTERVAL).unref();
  }

  /** Counts a request, reports the remaining quota to its client, and returns a rejection if it is over a limit. */
  take(exchange: Exchange): Rejection | undefined {
    const states: string[] = [];
    let retryAfter: number | undefined;
    for (const { name, limiter, keyOf } of this.#limits) {
      const key = keyOf(exchange);
      if (key === undefined) continue;
      // Hashed: a credential may be long, and the database contains none.
      const hashed = `${name}:${hash("sha256", key, "base64url")}`;
      const { isOver, remaining, reset } = limiter.take(hashed);
      states.push(`"${name}";r=${remaining};t=${reset}`);
      if (isOver) {
        retryAfter = reset;
        this.rejected.set(name, (this.rejected.get(name) ?? 0) + 1);
      }
    }
    exchange.rateHeaders = { "ratelimit-policy": this.#policy, ratelimit: states.join(", ") };
    return retryAfter === undefined ? undefined : httpError.rateLimited(retryAfter);
  }

  /** Stops exchanging counts with other processes. */
  close(): void {
    clearInterval(this.#timer);
  }

  async #exchange(): Promise<void> {
    if (this.#isExchanging) return;
    this.#isExchanging = true;
    try {
      for (const limit of this.#limits) await exchangeCounts(limit, this.#counts);
      this.#hasFailed = false;
    } catch (cause) {
      if (!this.#hasFailed)
        this.#log.warn({ err: cause }, "could not share rate-limit counts; limiting per process");
      this.#hasFailed = true;
    } finally {
      this.#isExchanging = false;
    }
  }
}

async function exchangeCounts({ limiter }: Limit, store: Store["rateCounts"]): Promise<void> {
  const unshared = limiter.listUnshared();
  const { window, counts } = unshared;
  if (counts.size > 0) limiter.merge(unshared, await store.add(window, counts));
}

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
