import { type ContextValues, createContextKey } from "@connectrpc/connect";

/** What handlers said of how an answer may be kept. */
export interface Freshness {
  /** The longest time, in seconds, that the answer may be shown; absent: until something changes. */
  readonly seconds?: number;
  /** Whether something of the viewer took part: then nobody keeps the answer. */
  readonly isPersonal: boolean;
  /** The keys of what took part, as they were given, each once. */
  readonly resources: ReadonlySet<string>;
}

interface Notes {
  seconds?: number;
  isPersonal: boolean;
  readonly resources: Set<string>;
}

const UNSET = Symbol("unset");

const notesKey = createContextKey<Notes | typeof UNSET>(UNSET);

/**
 * Limits how long an answer to a public key is shown, in seconds, all caches counted together: this
 * process, a CDN, and what a CDN shows while it asks anew. For what changes with the clock and not
 * by a write, such as a filter that reads `now`: 30. The smallest limit of several counts.
 */
export function limitFreshness(values: ContextValues, seconds: number): void {
  const notes = getNotes(values);
  notes.seconds = Math.max(0, Math.floor(Math.min(seconds, notes.seconds ?? seconds)));
}

/**
 * Says that the viewer's country or a viewer token takes part: the answer is `private, no-store`.
 * To be called whenever the answer depends on such a thing, also if this viewer showed none: what
 * one without a country gets must not be kept for the next, who has one.
 */
export function markPersonal(values: ContextValues): void {
  getNotes(values).isPersonal = true;
}

/**
 * Names what took part in an answer, for the `Surrogate-Key` header by which a CDN is purged:
 * collections, `worldcup/events`, and single resources, `worldcup/events/match-1`. A list names its
 * collection too, since what is not on it yet may come to be. Keys add up over several calls; ids
 * are given as they are, not encoded.
 */
export function noteResources(values: ContextValues, keys: readonly string[]): void {
  const { resources } = getNotes(values);
  for (const key of keys) resources.add(key);
}

/** Gets what handlers said so far; without a word of theirs, only changes end an answer. */
export function getFreshness(values: ContextValues): Freshness {
  const notes = values.get(notesKey);
  return notes === UNSET ? SILENT : notes;
}

/** How a limit is shared out among the caches that stand one behind the other, in seconds. */
export interface FreshnessShares {
  /** In the memory of this process. */
  readonly memory: number;
  /** In a CDN. */
  readonly cdn: number;
  /** In a CDN that asks anew meanwhile. */
  readonly stale: number;
}

/** Shares a limit out, in seconds: what the three show one after the other is no older than that. */
export function divideFreshness(seconds: number): FreshnessShares {
  const third = Math.floor(seconds / 3);
  return { memory: third, cdn: third, stale: seconds - 2 * third };
}

const SILENT: Freshness = { isPersonal: false, resources: new Set() };

function getNotes(values: ContextValues): Notes {
  const known = values.get(notesKey);
  if (known !== UNSET) return known;
  const notes: Notes = { isPersonal: false, resources: new Set() };
  values.set(notesKey, notes);
  return notes;
}
