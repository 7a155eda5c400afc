import { hash } from "node:crypto";
import type { Logger } from "pino";
import { toAddressBlock } from "../../network/ip-address.ts";
import type { Exchange } from "./exchange.ts";
import { RATE_WINDOW, RateLimiter } from "./rate-limiter.ts";
import { httpError, type Rejection } from "./rejection.ts";

/** The most requests in a minute; 0: no limit. */
export interface RateQuotas {
  /** The requests with the same token in their Authorization header, or key in their URL. */
  readonly perCredential: number;
  /** The requests of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly perAddress: number;
}

/** The counts of all processes. */
export interface SharedCounts {
  /** Adds counts to the counts of a minute, numbered since 1970, and returns the totals of their keys. */
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}

/** The dependencies of the limits. */
export interface RateLimitOptions {
  readonly quotas: RateQuotas;
  readonly counts: SharedCounts;
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
  readonly #counts: SharedCounts;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #isExchanging = false;
  #hasFailed = false;

  constructor({ quotas, counts, clock, log }: RateLimitOptions) {
    const limits = [
      { name: "credential", quota: quotas.perCredential, keyOf: credentialOf },
      { name: "address", quota: quotas.perAddress, keyOf: addressOf },
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
      const { isOver, remaining, reset } = limiter.take(key);
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

function credentialOf({ credential }: Exchange): string | undefined {
  return credential;
}

function addressOf({ address }: Exchange): string | undefined {
  return toAddressBlock(address);
}

async function exchangeCounts({ name, limiter }: Limit, store: SharedCounts): Promise<void> {
  const unshared = limiter.listUnshared();
  if (unshared.counts.size === 0) return;
  // Hashed, so that the database contains no credentials.
  const toStored = (key: string) => `${name}:${hash("sha256", key, "base64url")}`;
  const { window, counts } = unshared;
  const totals = await store.add(
    window,
    new Map(Array.from(counts, ([key, count]) => [toStored(key), count])),
  );
  limiter.merge(
    unshared,
    new Map(Array.from(counts.keys(), (key) => [key, totals.get(toStored(key)) ?? 0])),
  );
}
