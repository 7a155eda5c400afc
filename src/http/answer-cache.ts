import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { chooseCoding, chooseListed } from "./listener/content-coding.ts";
import type { Answer, Exchange, SharedState } from "./listener/exchange.ts";
import type { RequestOutcome, RequestSeries } from "./listener/request-metrics.ts";

/** The revisions of the data behind cached responses. */
export interface CacheSource {
  /** Returns a number that changes with every change of a project, by any process; undefined if unknown. */
  knownRevision(projectId: string): number | undefined;
  /** Returns a number that changes with every change of a credential, by any process. */
  accessVersion(): number;
}

/** How a read was answered: from memory, with the response that another one waited for, or by a call. */
export type CacheResult = "hit" | "joined" | "miss";

/** The state of a cache. */
export interface CacheState {
  /** The reads by their result. */
  readonly reads: Readonly<Record<CacheResult, number>>;
  /** The bytes that the responses take, and the most that they may. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** The responses dropped to make room. */
  readonly evicted: number;
}

/** Calls a method; cancelled when the signal is aborted. Without a response, the call has sent it itself. */
export type CallMethod = (signal: AbortSignal) => Promise<Answer | undefined>;

/** The approximate size of an entry beside its body and the values of its headers. */
const ENTRY_BYTES = 1_400;

/**
 * Responses as bytes, by the bytes of their requests. An entry holds while the revision of its project and the version
 * of all credentials stay as they were when its caller was authenticated, that is before its data was read.
 */
export class AnswerCache {
  readonly #source: CacheSource;
  readonly #entries: LRUCache<string, Entry>;
  readonly #flights = new Map<string, Flight>();
  readonly #reads = { hit: 0, joined: 0, miss: 0 };
  #evicted = 0;

  /** Creates a cache that takes at most about `maxBytes`. */
  constructor(source: CacheSource, maxBytes: number) {
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

  /** Returns the cached response to a request, if it still holds. */
  find(key: string, { now, outcome }: Exchange): Answer | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isCurrent(entry) || !isFresh(entry, now)) return undefined;
    this.#reads.hit += 1;
    outcome.isCached = true;
    outcome.series = entry.series;
    return entry.answer;
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
  ): Promise<Answer | undefined> {
    // A change during a call makes its response too old for those who joined: they wait for one more at most.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const flight = this.#flights.get(key);
      if (flight === undefined) return this.#begin(key, exchange, signal, call);
      const answer = await flight.join(signal).catch(() => undefined);
      signal.throwIfAborted();
      if (answer?.shared === undefined) break;
      if (this.#isCurrent({ shared: answer.shared, accessVersion: flight.accessVersion })) {
        this.#reads.joined += 1;
        exchange.outcome.isCached = true;
        exchange.outcome.series = flight.series;
        return answer;
      }
    }
    return this.#count(exchange, await call(signal));
  }

  /** Calls the method for all who will join, and keeps its response. */
  async #begin(
    key: string,
    exchange: Exchange,
    signal: AbortSignal,
    call: CallMethod,
  ): Promise<Answer | undefined> {
    const accessVersion = this.#source.accessVersion();
    const flight = new Flight(accessVersion, exchange.outcome, call, () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    const answer = this.#count(exchange, await flight.join(signal));
    if (answer?.shared === undefined || answer.shared.seconds === 0) return answer;
    this.#entries.set(key, {
      answer: toOwned(answer),
      shared: answer.shared,
      accessVersion,
      time: exchange.now.getTime(),
      series: exchange.outcome.series,
    });
    return answer;
  }

  #count(exchange: Exchange, answer: Answer | undefined): Answer | undefined {
    if (answer?.shared === undefined) return answer;
    this.#reads.miss += 1;
    exchange.outcome.isCached = false;
    return answer;
  }

  #isCurrent({ shared, accessVersion }: Pick<Entry, "accessVersion" | "shared">): boolean {
    return (
      this.#source.knownRevision(shared.projectId) === shared.revision &&
      this.#source.accessVersion() === accessVersion
    );
  }
}

/**
 * Returns the key of a request: a hash of its credential and of all that decides about the bytes of its response.
 * Undefined for a request with an expectation, or with a body that is not known.
 */
export function findKey({ method, request, arrivedBody }: Exchange): string | undefined {
  const { headers, url } = request;
  if (headers["x-consistency-token"] !== undefined || headers.expect !== undefined)
    return undefined;
  const isPost = method === "POST";
  const hasBody =
    headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (isPost ? arrivedBody === undefined : method !== "GET" || hasBody) return undefined;
  // Only the body may contain a line break.
  const text = [
    headers.authorization,
    method,
    url,
    chooseCoding(headers["accept-encoding"]),
    ...(isPost
      ? [
          chooseListed(headers["grpc-accept-encoding"]),
          headers["content-type"],
          headers["content-encoding"],
          headers["grpc-encoding"],
          headers["connect-protocol-version"],
          arrivedBody?.toString("latin1"),
        ]
      : []),
  ].join("\n");
  return hash("sha256", text, "base64url");
}

interface Entry {
  readonly answer: Answer;
  readonly shared: SharedState;
  readonly accessVersion: number;
  /** The time of the request that made the call, in milliseconds since 1970. */
  readonly time: number;
  /** Counts the requests that it answers. */
  readonly series: RequestSeries | undefined;
}

/** One call that several requests wait for. */
class Flight {
  /** The version of credentials before the caller was authenticated. */
  readonly accessVersion: number;
  readonly #outcome: RequestOutcome;
  readonly #abort = new AbortController();
  readonly #answer: Promise<Answer | undefined>;
  readonly #onEnd: () => void;
  #waiting = 0;

  /** Calls `onEnd` when the call can no longer be joined. */
  constructor(accessVersion: number, outcome: RequestOutcome, call: CallMethod, onEnd: () => void) {
    this.accessVersion = accessVersion;
    this.#outcome = outcome;
    this.#onEnd = onEnd;
    this.#answer = call(this.#abort.signal).finally(onEnd);
  }

  /** Counts the requests like that of the call. */
  get series(): RequestSeries | undefined {
    return this.#outcome.series;
  }

  /** Waits for the response; the call is cancelled when nobody waits any longer. */
  join(signal: AbortSignal): Promise<Answer | undefined> {
    this.#waiting += 1;
    if (signal.aborted) this.#leave(signal);
    else signal.addEventListener("abort", () => this.#leave(signal), { once: true });
    return this.#answer;
  }

  #leave({ reason }: AbortSignal): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#onEnd();
    this.#abort.abort(reason);
  }
}

/** Reports whether an entry may still be served; a clock that is put back does not prolong it. */
function isFresh({ shared: { seconds }, time }: Entry, now: Date): boolean {
  return seconds === undefined || Math.abs(now.getTime() - time) < seconds * 1_000;
}

/** Returns a response whose body holds no more memory than its bytes: short ones may share that of others. */
function toOwned(answer: Answer): Answer {
  const { body } = answer;
  return body.length === body.buffer.byteLength
    ? answer
    : { ...answer, body: new Uint8Array(body) };
}

function sizeOf({ answer: { body, headers } }: Entry): number {
  return Object.values(headers).reduce(
    (sum, { length }) => sum + length,
    ENTRY_BYTES + body.length,
  );
}
