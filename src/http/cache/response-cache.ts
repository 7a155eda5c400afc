import type { ReadAnswer } from "../connect/connect-get.ts";
import { CALL_OVER } from "../connect/connect-request.ts";
import type { Answer } from "../server/exchange.ts";
import type { Coding } from "./accept-encoding.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import type { Representation } from "./encoded-answer.ts";
import { Representations } from "./encoded-answers.ts";

/** What the cache has to know of the data and of those who ask. */
export interface CacheSource {
  /** Returns a number that is another after every change of a project; undefined without it. */
  knownRevision(projectId: string): number | undefined;
  /** Finds the public key in an Authorization header; no other caller shares answers. */
  findKey(authorization: string): Promise<PublicKey | undefined>;
}

/** Whose public key it is, and the revision of the project for which that is known. */
export interface PublicKey {
  readonly projectId: string;
  readonly revision: number;
}

/** A read that may share its answer with others. */
export interface SharedRead {
  readonly projectId: string;
  readonly path: string;
  /** The message in its one form. */
  readonly form: string;
  readonly coding: Coding;
  /** The time of the request. */
  readonly now: Date;
  /** Aborted when the reader no longer waits. */
  readonly signal: AbortSignal;
}

/** Fetches an answer, for as long as somebody waits for it. */
export type FetchAnswer = (signal: AbortSignal) => Promise<ReadAnswer>;

/** Keeps answers to reads that a public key alone took part in, as the bytes that are sent. */
export interface ResponseCache {
  /** About how many bytes are kept at the most. */
  readonly maxBytes: number;
  /** Finds the public key in an Authorization header, once a revision of its project. */
  findKey(authorization: string): Promise<PublicKey | undefined>;
  /**
   * Answers a read from memory, or by `fetch`, once however many ask for the same at the same time;
   * that is given up when none of them waits any more. What is kept is dropped when the project changes: a change is seen by the next read.
   */
  answer(read: SharedRead, fetch: FetchAnswer): Promise<Answer>;
  /** Finds what is kept under the key of a public key's read and still holds, as the key does. */
  find(
    key: string,
    coding: Coding,
    owner: PublicKey,
    clock: () => Date,
  ): Representation | undefined;
}

/** Makes the key of a read: no two projects, methods or messages have the same. */
export function toCacheKey({
  projectId,
  path,
  form,
}: Pick<SharedRead, "form" | "path" | "projectId">): string {
  // A project's id and a path hold no line break.
  return `${projectId}\n${path}\n${form}`;
}

/** Creates a cache of answers that takes about so many bytes at the most. */
export function createResponseCache(source: CacheSource, maxBytes: number): ResponseCache {
  const kept = new ByteBoundedMap<Entry>(
    maxBytes,
    (key, { representations }) => key.length + representations.bytes + ENTRY_BYTES,
  );
  const keys = new ByteBoundedMap<PublicKey>(maxBytes / 64, (key) => key.length + ENTRY_BYTES);
  const flights = new Map<string, Flight>();

  return {
    maxBytes,
    async findKey(authorization) {
      const known = keys.get(authorization);
      if (known !== undefined && holds(known)) return known;
      const found = await source.findKey(authorization);
      if (found === undefined) keys.delete(authorization);
      else keys.set(authorization, { projectId: found.projectId, revision: found.revision });
      return found;
    },

    async answer(read, fetch) {
      const key = toCacheKey(read);
      const entry = kept.get(key);
      // Older than what is fetched or the same age, so that nothing is kept for longer than it holds.
      const revision = source.knownRevision(read.projectId);
      if (entry !== undefined && entry.revision === revision && isFresh(entry, read.now)) {
        return show(key, entry, read.coding);
      }

      const flightKey = `${revision}\n${key}`;
      const flight = flights.get(flightKey);
      if (flight !== undefined) {
        const shared = await flight.join(read.signal).catch(() => undefined);
        const { representations } = shared?.isShared ? shared : await toFetched(fetch(read.signal));
        return representations.in(read.coding);
      }
      const own = new Flight(fetch, () => {
        if (flights.get(flightKey) === own) flights.delete(flightKey);
      });
      flights.set(flightKey, own);
      const fetched = await own.join(read.signal);
      const { representations, memoryTime } = fetched;
      if (!fetched.isShared || memoryTime === 0 || revision === undefined) {
        return representations.in(read.coding);
      }
      const filled: Entry = { representations, revision, time: read.now, memoryTime };
      kept.set(key, filled);
      return show(key, filled, read.coding);
    },

    find(key, coding, owner, clock) {
      const entry = kept.get(key);
      if (entry?.revision !== owner.revision || !holds(owner)) return undefined;
      if (entry.memoryTime !== undefined && !isFresh(entry, clock())) return undefined;
      return entry.representations.find(coding);
    },
  };

  function holds({ projectId, revision }: PublicKey): boolean {
    return source.knownRevision(projectId) === revision;
  }

  /** Gets an entry's answer in a coding; one that was not made before adds to the entry's size. */
  async function show(key: string, entry: Entry, coding: Coding): Promise<Answer> {
    const { representations } = entry;
    const known = representations.find(coding);
    if (known !== undefined) return known;
    const made = await representations.in(coding);
    if (kept.get(key) === entry) kept.set(key, entry);
    return made;
  }
}

interface Entry {
  readonly representations: Representations;
  readonly revision: number;
  /** The time of the request that it was made for. */
  readonly time: Date;
  /** How long it may be shown, in milliseconds; absent: until a change. */
  readonly memoryTime: number | undefined;
}

interface Fetched {
  readonly representations: Representations;
  readonly isShared: boolean;
  readonly memoryTime: number | undefined;
}

/** What an entry takes beside its bytes, about: objects, and the headers of three codings. */
const ENTRY_BYTES = 2_048;

/** One call that several readers wait for. */
class Flight {
  readonly #abort = new AbortController();
  readonly #fetched: Promise<Fetched>;
  readonly #onEnd: () => void;
  #readers = 0;

  /** `onEnd` is called when there is nothing left to join. */
  constructor(fetch: FetchAnswer, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#fetched = toFetched(fetch(this.#abort.signal)).finally(onEnd);
  }

  /** Waits for what is fetched; the call is given up when no reader waits any more. */
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
    this.#abort.abort(CALL_OVER);
  }
}

async function toFetched(fetching: Promise<ReadAnswer>): Promise<Fetched> {
  const { answer, memorySeconds } = await fetching;
  const { status, headers } = answer;
  return {
    representations: new Representations(answer),
    isShared: status === 200 && headers["cache-control"]?.startsWith("public") === true,
    memoryTime: memorySeconds === undefined ? undefined : memorySeconds * 1_000,
  };
}

/** Also a clock that was put back does not make an answer last. */
function isFresh({ time, memoryTime = Number.POSITIVE_INFINITY }: Entry, now: Date): boolean {
  return Math.abs(now.getTime() - time.getTime()) < memoryTime;
}
