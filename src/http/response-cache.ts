import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { printPublicLifetime } from "../api/steps/cache-control.ts";
import type { Store } from "../storage/contract/store.ts";
import type { CacheState } from "./endpoints/metrics.ts";
import { type CallMethod, Flight } from "./flight.ts";
import type { Exchange, HttpResponse, SharedState } from "./listener/exchange.ts";
import type { RequestSeries } from "./listener/request-metrics.ts";

/** The approximate size of an entry without its body and the values of its headers. */
const ENTRY_BYTES = 1_400;

/** The most requests that wait for the calls of others; further ones make calls of their own. */
const MOST_WAITING = 2_000;

/**
 * Responses as bytes, by the bytes of their requests. An entry is valid until the revision of its project changes, which
 * is taken when the caller is authenticated, before the data is read. A change of a public key changes it, too.
 */
export class ResponseCache {
  readonly #source: Pick<Store, "knownRevision">;
  readonly #entries: LRUCache<string, Entry>;
  readonly #flights = new Map<string, Flight>();
  readonly #reads = { hit: 0, joined: 0, miss: 0 };
  /** The number of requests that wait for the calls of others. */
  #waiting = 0;
  #evicted = 0;

  /** Creates a cache that takes at most about `maxBytes`. */
  constructor(source: Pick<Store, "knownRevision">, maxBytes: number) {
    this.#source = source;
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: sizeOf,
      dispose: (_entry, _key, reason) => {
        if (reason === "evict") this.#evicted += 1;
      },
    });
  }

  /** The state of the cache, for its metrics. */
  get state(): CacheState {
    return {
      reads: this.#reads,
      bytes: this.#entries.calculatedSize,
      maxBytes: this.#entries.maxSize,
      evicted: this.#evicted,
    };
  }

  /** Returns the cached response to a request, if it is still valid. */
  find(key: string, exchange: Exchange): HttpResponse | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isCurrent(entry.shared)) return undefined;
    if (!isFresh(entry, exchange.now)) return undefined;
    this.#reads.hit += 1;
    exchange.isCached = true;
    exchange.series = entry.series;
    return toResponse(entry, exchange.now);
  }

  /**
   * Returns the response of one call for all concurrent requests with a key, which is cancelled when none of them waits
   * any longer. A personal response is given to the first of them alone, and so is a failure.
   */
  async share(
    key: string,
    exchange: Exchange,
    signal: AbortSignal,
    call: CallMethod,
  ): Promise<HttpResponse | undefined> {
    // A change during a call makes its response too old for those who joined: they wait for one more at most.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const flight = this.#flights.get(key);
      if (flight === undefined) return this.#begin(key, exchange, signal, call);
      if (this.#waiting >= MOST_WAITING) break;
      // It is not in progress while it waits.
      const wasInProgress = exchange.load.leave(exchange);
      const response = await this.#join(flight, signal);
      signal.throwIfAborted();
      if (response?.shared !== undefined && this.#isCurrent(response.shared)) {
        this.#reads.joined += 1;
        exchange.isCached = true;
        exchange.series = flight.series;
        return response;
      }
      if (wasInProgress) exchange.load.enter(exchange);
      if (response?.shared === undefined) break;
    }
    return this.#count(exchange, await call(signal));
  }

  /** Waits for the call of another request; undefined if it fails. */
  async #join(flight: Flight, signal: AbortSignal): Promise<HttpResponse | undefined> {
    this.#waiting += 1;
    const response = await flight.join(signal).catch(() => undefined);
    this.#waiting -= 1;
    return response;
  }

  /** Calls the method for all requests that join, and stores its response. */
  async #begin(
    key: string,
    exchange: Exchange,
    signal: AbortSignal,
    call: CallMethod,
  ): Promise<HttpResponse | undefined> {
    const flight = new Flight(exchange, call, () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    const response = this.#count(exchange, await flight.join(signal));
    const time = exchange.now.getTime();
    if (response?.shared === undefined || time >= (response.shared.until ?? Infinity))
      return response;
    this.#entries.set(key, {
      response: toOwned(response),
      shared: response.shared,
      time,
      series: exchange.series,
    });
    return response;
  }

  #count(exchange: Exchange, response: HttpResponse | undefined): HttpResponse | undefined {
    if (response?.shared === undefined) return response;
    this.#reads.miss += 1;
    exchange.isCached = false;
    return response;
  }

  #isCurrent({ projectId, revision }: SharedState): boolean {
    return this.#source.knownRevision(projectId) === revision;
  }
}

/**
 * Returns the key of a request: a hash of its credential and of all that decides about the bytes of its response.
 * Undefined for a request with an expectation, with a consistency token, with a timeout that ends it, or with a body
 * that is not known. `url` is the URL as sent, or without its wait.
 */
export function findKey(
  { method, request, arrivedBody }: Exchange,
  url = request.url,
): string | undefined {
  const { headers } = request;
  if (headers["x-consistency-token"] !== undefined || headers.expect !== undefined)
    return undefined;
  if (!isTimeout(headers["connect-timeout-ms"], /^[1-9]\d{0,9}$/)) return undefined;
  if (!isTimeout(headers["grpc-timeout"], /^[1-9]\d{0,7}[HMSmun]$/)) return undefined;
  const isPost = method === "POST";
  const hasBody =
    headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (isPost ? arrivedBody === undefined : method !== "GET" || hasBody) return undefined;
  // Only the body may contain a line break.
  const coding = headers["accept-encoding"] ?? "identity";
  const lines = [headers.authorization, method, url, coding];
  if (isPost) {
    lines.push(
      headers["content-type"],
      headers["content-encoding"],
      String(headers["grpc-accept-encoding"] ?? ""),
      String(headers["grpc-encoding"] ?? ""),
      String(headers["connect-protocol-version"] ?? ""),
      arrivedBody?.toString("latin1"),
    );
  }
  return hash("sha256", lines.join("\n"), "base64url");
}

/** Reports whether a header allows some time, or is absent. */
function isTimeout(header: string | string[] | undefined, form: RegExp): boolean {
  return header === undefined || form.test(String(header));
}

interface Entry {
  readonly response: HttpResponse;
  readonly shared: SharedState;
  /** The time of the request that made the call, in milliseconds since 1970. */
  readonly time: number;
  /** Counts the requests that get it. */
  readonly series: RequestSeries | undefined;
}

/**
 * Reports whether an entry may still be served. After the clock is put back, it may not: what was over by its time may still have
 * to come.
 */
function isFresh({ shared: { until = Infinity }, time }: Entry, now: Date): boolean {
  return time <= now.getTime() && now.getTime() < until;
}

/** Returns the response of an entry with the lifetime that is left. */
function toResponse({ response, shared: { until } }: Entry, now: Date): HttpResponse {
  if (until === undefined) return response;
  const cacheControl = printPublicLifetime(until, now.getTime());
  return { ...response, headers: { ...response.headers, "cache-control": cacheControl } };
}

/** Returns a response whose body occupies no more memory than its bytes: short bodies may share a larger buffer. */
function toOwned(response: HttpResponse): HttpResponse {
  const { body } = response;
  return body.length === body.buffer.byteLength
    ? response
    : { ...response, body: new Uint8Array(body) };
}

function sizeOf({ response: { body, headers } }: Entry): number {
  return Object.values(headers).reduce(
    (sum, { length }) => sum + length,
    ENTRY_BYTES + body.length,
  );
}
