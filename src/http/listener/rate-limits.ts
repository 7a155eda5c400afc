import { hash } from "node:crypto";
import type { Logger } from "pino";
import type { Client } from "../../network/client.ts";
import { networkOf } from "../../network/ip-address.ts";
import { findCredential, type RequestTarget } from "./credential.ts";
import { RATE_WINDOW, RateLimiter } from "./rate-limiter.ts";
import { type Refusal, rateLimited } from "./refusal.ts";

/** The most requests in a minute; 0: no limit. */
export interface RateQuotas {
  /** The requests with the same token in their Authorization header, or key in their URL. */
  readonly perCredential: number;
  /** The requests of one IPv4 address, or of one IPv6 network of 64 bits. */
  readonly perAddress: number;
}

/** The rate limits of a request. */
export interface RateState {
  /** The headers that tell the client its limits and what is left of them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: Refusal | undefined;
}

/** Limits the requests of a minute by credential and by address. */
export interface RateLimits {
  /** The requests that each limit has refused. */
  readonly refused: ReadonlyMap<string, number>;
  /** Counts a request. */
  take(request: RequestTarget, client: Client): RateState;
  /** Stops exchanging counts with other processes. */
  close(): void;
}

/** The counts of all processes. */
export interface SharedCounts {
  /** Adds counts to those of a minute, numbered since 1970, and returns the totals of their keys. */
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}

/** The dependencies of the limits. */
export interface RateLimitOptions {
  readonly quotas: RateQuotas;
  readonly counts: SharedCounts;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** The interval at which processes exchange their counts, in milliseconds. */
const EXCHANGE_INTERVAL = 1_000;

/** What a limit counts. */
interface Limit {
  readonly name: string;
  readonly limiter: RateLimiter;
  /** Returns the key of a request; undefined if it has none. */
  readonly keyOf: (request: RequestTarget, client: Client) => string | undefined;
}

/**
 * Creates the limits; undefined if there are none. Every process limits by itself and exchanges its counts each
 * second, so together they admit at most what they receive in a second more than the quota, and a twentieth of it
 * for each process. Without the database, each limits alone.
 */
export function createRateLimits(options: RateLimitOptions): RateLimits | undefined {
  const { quotas, clock } = options;
  const limits: Limit[] = [];
  if (quotas.perCredential > 0) {
    limits.push({
      name: "credential",
      limiter: new RateLimiter(quotas.perCredential, clock),
      keyOf: findCredential,
    });
  }
  if (quotas.perAddress > 0) {
    limits.push({
      name: "address",
      limiter: new RateLimiter(quotas.perAddress, clock),
      keyOf: (_, { address }) => (address === "" ? undefined : networkOf(address)),
    });
  }
  if (limits.length === 0) return undefined;
  const policy = limits
    .map(({ name, limiter }) => `"${name}";q=${limiter.quota};w=${RATE_WINDOW / 1_000}`)
    .join(", ");
  const exchange = startExchange(limits, options);
  const refused = new Map(limits.map(({ name }) => [name, 0]));

  return {
    refused,
    take(request, client) {
      const states: string[] = [];
      let retryAfter: number | undefined;
      for (const { name, limiter, keyOf } of limits) {
        const key = keyOf(request, client);
        if (key === undefined) continue;
        const { isOver, remaining, reset } = limiter.take(key);
        states.push(`"${name}";r=${remaining};t=${reset}`);
        if (isOver) {
          retryAfter = reset;
          refused.set(name, (refused.get(name) ?? 0) + 1);
        }
      }
      const headers = { "ratelimit-policy": policy, ratelimit: states.join(", ") };
      return {
        headers,
        refusal: retryAfter === undefined ? undefined : rateLimited(retryAfter),
      };
    },
    close: () => clearInterval(exchange),
  };
}

function startExchange(
  limits: readonly Limit[],
  { counts, log }: RateLimitOptions,
): NodeJS.Timeout {
  let isRunning = false;
  let hasFailed = false;
  const run = async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      for (const limit of limits) await exchangeCounts(limit, counts);
      hasFailed = false;
    } catch (cause) {
      if (!hasFailed) log.warn({ err: cause }, "counts of requests not exchanged");
      hasFailed = true;
    } finally {
      isRunning = false;
    }
  };
  return setInterval(run, EXCHANGE_INTERVAL).unref();
}

async function exchangeCounts({ name, limiter }: Limit, store: SharedCounts): Promise<void> {
  const unshared = limiter.listUnshared();
  if (unshared.counts.size === 0) return;
  // Hashed, so that the database holds no credentials.
  const entries = Array.from(unshared.counts, ([key, count]) => ({
    ...{ key, count },
    stored: `${name}:${hash("sha256", key, "base64url")}`,
  }));
  const storedCounts = new Map(entries.map(({ stored, count }) => [stored, count]));
  const totals = await store.add(unshared.window, storedCounts);
  limiter.merge(
    unshared,
    new Map(entries.map(({ key, stored }) => [key, totals.get(stored) ?? 0])),
  );
}
