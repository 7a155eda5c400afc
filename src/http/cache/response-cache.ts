import { abortCall } from "../../api/steps/errors.ts";
import type { Caller } from "../../api/steps/incoming-call.ts";
import type { Encoding } from "../connect/unary-form.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { EncodedAnswer, EncodedAnswers } from "./encoded-answers.ts";

/** The revisions of the data behind cached answers. */
export interface CacheSource {
  /** Returns a number that changes with every change of a project, by any process; undefined if unknown. */
  knownRevision(projectId: string): number | undefined;
}

/** A read whose answer may be shared. */
export interface SharedRead {
  readonly projectId: string;
  readonly path: string;
  /** The message in its canonical form. */
  readonly form: string;
  readonly encoding: Encoding;
  /** The time of the request. */
  readonly now: Date;
  /** Aborted when the reader no longer waits. */
  readonly signal: AbortSignal;
}

/** An answer as returned by a call. */
export interface FreshAnswer {
  readonly answers: EncodedAnswers;
  /** The longest time that this process may serve it, in seconds; absent: until a change. */
  readonly memorySeconds?: number;
}

/** Fetches an answer, or throws the error of its call; cancelled when the signal is aborted. */
export type FetchAnswer = (signal: AbortSignal) => Promise<FreshAnswer>;

/** Whether a read was answered from memory, with the answer that another one waited for, or by a call. */
export type CacheResult = "hit" | "joined" | "miss";

/** The state of a cache. */
export interface CacheState {
  /** The reads by their result. */
  readonly reads: Readonly<Record<CacheResult, number>>;
  /** The bytes that the answers take, and the most that they may. */
  readonly bytes: number;
  readonly maxBytes: number;
  /** The answers dropped to make room. */
  readonly evicted: number;
}

/** Caches the answers to reads with only a public key, as the bytes to send. */
export interface ResponseCache {
  readonly state: CacheState;
  /** The memory for finding answers, which is part of that of the cache. */
  readonly budget: Pick<CacheBudget, "forms" | "places">;
  /**
   * Returns the caller of an Authorization header; a public key is looked up once per revision of its
   * project.
   */
  findCaller(authorization: string, find: () => Promise<Caller>): Promise<Caller>;
  /**
   * Answers a read from memory, or by one `fetch` for all concurrent readers, which is cancelled when none of
   * them waits any longer. The next read after a change of the project sees the change.
   */
  answer(read: SharedRead, fetch: FetchAnswer): Promise<EncodedAnswer>;
  /** Returns the cached answer for a place if the project is still at its revision, without waiting. */
  find(place: KeptPlace, encoding: Encoding, clock: () => Date): EncodedAnswer | undefined;
}

/** The key of a cached answer, and the revision of the project at which its public key was valid. */
export interface KeptPlace {
  readonly key: string;
  readonly projectId: string;
  readonly revision?: number | undefined;
}

/** The maximum bytes of each part of a cache: the answers, and what finds them. */
export interface CacheBudget {
  readonly answers: number;
  /** Of the hot index. */
  readonly places: number;
  /** Of the canonical forms. */
  readonly forms: number;
  readonly callers: number;
}

function divideBudget(maxBytes: number): CacheBudget {
  const places = maxBytes / 16;
  const forms = maxBytes / 32;
  const callers = maxBytes / 64;
  return { answers: maxBytes - places - forms - callers, places, forms, callers };
}

type ProjectKey = Extract<Caller, { readonly kind: "project" }>["key"];

/** Returns the project key of a caller whose answers are shared: a public key without a viewer token. */
export function findSharedKey(caller: Caller): ProjectKey | undefined {
  const isPublic = caller.kind === "project" && caller.key.kind === "public";
  return isPublic && caller.viewer === undefined ? caller.key : undefined;
}

/** Returns the key of a read, unique by project, method and message. */
export function toCacheKey({
  projectId,
  path,
  form,
}: Pick<SharedRead, "form" | "path" | "projectId">): string {
  // Project ids and paths contain no line break.
  return `${projectId}\n${path}\n${form}`;
}

/** Creates a cache that takes at most about `maxBytes`, with what finds its answers. */
export function createResponseCache(source: CacheSource, maxBytes: number): ResponseCache {
  const budget = divideBudget(maxBytes);
  const kept = new ByteBoundedMap<Entry>(
    budget.answers,
    (key, { answers }) => key.length + answers.bytes + ENTRY_BYTES,
  );
  const callers = new ByteBoundedMap<Caller>(budget.callers, (key) => key.length + ENTRY_BYTES);
  const flights = new Map<string, Flight>();
  const reads = { hit: 0, joined: 0, miss: 0 };

  return {
    budget,
    get state() {
      return { reads, bytes: kept.bytes, maxBytes: budget.answers, evicted: kept.evicted };
    },
    async findCaller(authorization, find) {
      const known = callers.get(authorization);
      const key = known && findSharedKey(known);
      if (known !== undefined && key !== undefined && isCurrent(key)) return known;
      callers.delete(authorization);
      const caller = await find();
      if (findSharedKey(caller) !== undefined) callers.set(authorization, caller);
      return caller;
    },

    async answer(read, fetch) {
      const key = toCacheKey(read);
      const entry = kept.get(key);
      // Read before the data is fetched, so that no entry outlives the data it was made from.
      const revision = source.knownRevision(read.projectId);
      // A change could not be noticed, not even by readers who join.
      if (revision === undefined) {
        reads.miss += 1;
        return (await toFetched(fetch(read.signal))).answers.in(read.encoding);
      }
      if (entry?.revision === revision && isFresh(entry, read.now)) {
        reads.hit += 1;
        return encode(key, entry.answers, read.encoding);
      }

      const flightKey = `${revision}\n${key}`;
      const flight = flights.get(flightKey);
      if (flight !== undefined) {
        const shared = await flight.join(read.signal).catch(() => undefined);
        reads[shared?.isShared ? "joined" : "miss"] += 1;
        const { answers } = shared?.isShared ? shared : await toFetched(fetch(read.signal));
        return encode(key, answers, read.encoding);
      }
      reads.miss += 1;
      const own = new Flight(fetch, () => {
        if (flights.get(flightKey) === own) flights.delete(flightKey);
      });
      flights.set(flightKey, own);
      const { answers, isShared, memoryTime } = await own.join(read.signal);
      if (isShared && memoryTime !== 0) {
        kept.set(key, { answers, revision, time: read.now, memoryTime });
      }
      return encode(key, answers, read.encoding);
    },

    find(place, encoding, clock) {
      const entry = kept.get(place.key);
      if (entry === undefined || entry.revision !== place.revision || !isCurrent(place))
        return undefined;
      if (entry.memoryTime !== undefined && !isFresh(entry, clock())) return undefined;
      const found = entry.answers.find(encoding);
      if (found !== undefined) reads.hit += 1;
      return found;
    },
  };

  function isCurrent({ projectId, revision }: Pick<KeptPlace, "projectId" | "revision">): boolean {
    return revision !== undefined && source.knownRevision(projectId) === revision;
  }

  /** Returns an answer in an encoding; a new one adds to the size of its entry, if it has one. */
  async function encode(
    key: string,
    answers: EncodedAnswers,
    encoding: Encoding,
  ): Promise<EncodedAnswer> {
    const known = answers.find(encoding);
    if (known !== undefined) return known;
    const made = await answers.in(encoding);
    const entry = kept.get(key);
    if (entry?.answers === answers) kept.set(key, entry);
    return made;
  }
}

interface Entry {
  readonly answers: EncodedAnswers;
  readonly revision: number;
  /** The time of the request that fetched it. */
  readonly time: Date;
  /** The time for which it may be served, in milliseconds; absent: until a change. */
  readonly memoryTime: number | undefined;
}

interface Fetched {
  readonly answers: EncodedAnswers;
  readonly isShared: boolean;
  readonly memoryTime: number | undefined;
}

/** The approximate size of an entry beside its key and its answers. */
const ENTRY_BYTES = 512;

/** One call that several readers wait for. */
class Flight {
  readonly #abort = new AbortController();
  readonly #fetched: Promise<Fetched>;
  readonly #onEnd: () => void;
  #readers = 0;

  /** Calls `onEnd` when the call can no longer be joined. */
  constructor(fetch: FetchAnswer, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#fetched = toFetched(fetch(this.#abort.signal)).finally(onEnd);
  }

  /** Waits for the answer; the call is cancelled when no reader waits any longer. */
  join(signal: AbortSignal): Promise<Fetched> {
    this.#readers += 1;
    if (signal.aborted) this.#leave();
    else signal.addEventListener("abort", () => this.#leave(), { once: true });
    return this.#fetched;
  }

  #leave(): void {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    this.#onEnd();
    abortCall(this.#abort);
  }
}

async function toFetched(fetching: Promise<FreshAnswer>): Promise<Fetched> {
  const { answers, memorySeconds } = await fetching;
  return {
    answers,
    isShared: answers.headers["cache-control"]?.startsWith("public") === true,
    memoryTime: memorySeconds === undefined ? undefined : memorySeconds * 1_000,
  };
}

/** Reports whether an entry may still be served; a clock that is put back does not prolong it. */
function isFresh({ time, memoryTime = Number.POSITIVE_INFINITY }: Entry, now: Date): boolean {
  return Math.abs(now.getTime() - time.getTime()) < memoryTime;
}
