import type { Caller } from "../../call/context.ts";
import { CALL_OVER } from "../../call/errors.ts";
import type { Answer } from "../server/exchange.ts";
import type { Coding } from "./accept-encoding.ts";
import { ByteBoundedMap } from "./byte-bounded-map.ts";
import { type EncodedAnswer, EncodedAnswers } from "./encoded-answers.ts";

/** The versions of the data that answers were made of. */
export interface CacheSource {
  /** Returns a number that changes with every change of a project, by any process; undefined without it. */
  knownRevision(projectId: string): number | undefined;
}

/** A read that may share its answer with others. */
export interface SharedRead {
  readonly projectId: string;
  readonly path: string;
  /** The message in its canonical form. */
  readonly form: string;
  readonly coding: Coding;
  /** The time of the request. */
  readonly now: Date;
  /** Aborted when the reader no longer waits. */
  readonly signal: AbortSignal;
}

/** An answer that a call has just made. */
export interface FreshAnswer {
  readonly answer: Answer;
  /** The longest time that this process may show it, in seconds; absent: until a change. */
  readonly memorySeconds?: number;
}

/** Fetches an answer; given up when the signal is aborted. */
export type FetchAnswer = (signal: AbortSignal) => Promise<FreshAnswer>;

/** Keeps the answers to reads with nothing but a public key, as the bytes that are sent. */
export interface ResponseCache {
  /** About how many bytes are kept at most. */
  readonly maxBytes: number;
  /** Finds who sends an Authorization header, if it is a public key; asked once a revision of its project. */
  findCaller(authorization: string, find: () => Promise<Caller>): Promise<Caller>;
  /**
   * Answers a read from memory, or by `fetch`: once, however many ask for the same at the same time, and
   * given up when none of them waits any more. A change of the project is seen by the next read.
   */
  answer(read: SharedRead, fetch: FetchAnswer): Promise<Answer>;
  /** Finds the answer kept for a project's key at a revision, if the project is still at it, without waiting. */
  find(place: KeptPlace, coding: Coding, clock: () => Date): EncodedAnswer | undefined;
}

/** Where an answer is kept, and the revision of the project at which its public key was valid. */
export interface KeptPlace {
  readonly key: string;
  readonly projectId: string;
  readonly revision?: number | undefined;
}

type ProjectKey = Extract<Caller, { readonly kind: "project" }>["key"];

/** Finds the key of a caller that shares its answers: a public one, without a viewer's token. */
export function findSharedKey(caller: Caller): ProjectKey | undefined {
  const isPublic = caller.kind === "project" && caller.key.kind === "public";
  return isPublic && caller.viewer === undefined ? caller.key : undefined;
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

/** Creates a cache of answers of about `maxBytes` at most. */
export function createResponseCache(source: CacheSource, maxBytes: number): ResponseCache {
  const kept = new ByteBoundedMap<Entry>(
    maxBytes,
    (key, { answers }) => key.length + answers.bytes + ENTRY_BYTES,
  );
  const callers = new ByteBoundedMap<Caller>(maxBytes / 64, (key) => key.length + ENTRY_BYTES);
  const flights = new Map<string, Flight>();

  return {
    maxBytes,
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
      // Not newer than what is fetched, so that no entry outlives what it was made of.
      const revision = source.knownRevision(read.projectId);
      if (entry !== undefined && entry.revision === revision && isFresh(entry, read.now)) {
        return show(key, entry, read.coding);
      }

      const flightKey = `${revision}\n${key}`;
      const flight = flights.get(flightKey);
      if (flight !== undefined) {
        const shared = await flight.join(read.signal).catch(() => undefined);
        const { answers } = shared?.isShared ? shared : await toFetched(fetch(read.signal));
        return answers.in(read.coding);
      }
      const own = new Flight(fetch, () => {
        if (flights.get(flightKey) === own) flights.delete(flightKey);
      });
      flights.set(flightKey, own);
      const fetched = await own.join(read.signal);
      const { answers, memoryTime } = fetched;
      if (!fetched.isShared || memoryTime === 0 || revision === undefined) {
        return answers.in(read.coding);
      }
      const filled: Entry = { answers, revision, time: read.now, memoryTime };
      kept.set(key, filled);
      return show(key, filled, read.coding);
    },

    find(place, coding, clock) {
      const entry = kept.get(place.key);
      if (entry === undefined || entry.revision !== place.revision || !isCurrent(place))
        return undefined;
      if (entry.memoryTime !== undefined && !isFresh(entry, clock())) return undefined;
      return entry.answers.find(coding);
    },
  };

  function isCurrent({ projectId, revision }: Pick<KeptPlace, "projectId" | "revision">): boolean {
    return revision !== undefined && source.knownRevision(projectId) === revision;
  }

  /** Gets an entry's answer in a coding; one that is made now adds to the entry's size. */
  async function show(key: string, entry: Entry, coding: Coding): Promise<Answer> {
    const { answers } = entry;
    const known = answers.find(coding);
    if (known !== undefined) return known;
    const made = await answers.in(coding);
    if (kept.get(key) === entry) kept.set(key, entry);
    return made;
  }
}

interface Entry {
  readonly answers: EncodedAnswers;
  readonly revision: number;
  /** The time of the request that it was made for. */
  readonly time: Date;
  /** How long it may be shown, in milliseconds; absent: until a change. */
  readonly memoryTime: number | undefined;
}

interface Fetched {
  readonly answers: EncodedAnswers;
  readonly isShared: boolean;
  readonly memoryTime: number | undefined;
}

/** What an entry takes beside its bodies, about: objects, and the headers of three codings. */
const ENTRY_BYTES = 2_048;

/** One call that several readers share. */
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

async function toFetched(fetching: Promise<FreshAnswer>): Promise<Fetched> {
  const { answer, memorySeconds } = await fetching;
  const { status, headers } = answer;
  return {
    answers: new EncodedAnswers(answer),
    isShared: status === 200 && headers["cache-control"]?.startsWith("public") === true,
    memoryTime: memorySeconds === undefined ? undefined : memorySeconds * 1_000,
  };
}

/** A clock that is put back does not prolong an answer either. */
function isFresh({ time, memoryTime = Number.POSITIVE_INFINITY }: Entry, now: Date): boolean {
  return Math.abs(now.getTime() - time.getTime()) < memoryTime;
}
