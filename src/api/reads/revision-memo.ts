import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { DomainError } from "../../domain/base/errors.ts";
import { isWithin, type Period } from "../../domain/base/time.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { Store } from "../../storage/contract/store.ts";

interface Entry<T> {
  readonly revision: number;
  readonly value: Promise<T>;
  readonly size: number;
}

/** Memoizes reads of projects until the project changes, the most recently used ones. */
export class RevisionMemo<T> {
  readonly #store: Pick<Store, "knownRevision">;
  readonly #sizeOf: (value: T) => number;
  // With `max`, a cache would take the memory of all entries at once.
  readonly #entries: LRUCache<string, Entry<T>>;

  /** `most` is the total size of the values; by default, each has size 1. */
  constructor(
    store: Pick<Store, "knownRevision">,
    most: number,
    sizeOf: (value: T) => number = () => 1,
  ) {
    this.#store = store;
    this.#sizeOf = sizeOf;
    this.#entries = new LRUCache({ maxSize: most, sizeCalculation: ({ size }) => size });
  }

  /** The total size of the values. */
  get size(): number {
    return this.#entries.calculatedSize;
  }

  /**
   * Returns the cached value of a project's key, or reads it, once for all concurrent callers; another one reads it if the
   * first leaves or is rejected. A failed read is not cached, and neither is a value of an unknown revision. A cached
   * value that fails `holds` is read again.
   */
  async find(
    projectId: string,
    key: string,
    read: () => Promise<T>,
    holds: (value: T) => boolean = () => true,
  ): Promise<T> {
    // A hash, because a key may be much larger than its value: pages resolve ids from what requests send.
    const id = hash("sha256", JSON.stringify([projectId, key]), "base64url");
    // The revision is read before the data, so cached data are never older than their revision.
    const revision = this.#store.knownRevision(projectId);
    if (revision === undefined) return read();
    let known = this.#entries.get(id);
    while (known?.revision === revision) {
      const read = await takeShared(known.value);
      if (read !== undefined && holds(read.value)) return read.value;
      // Another caller may have replaced the entry in between.
      const newer = this.#entries.get(id);
      known = newer === known ? undefined : newer;
    }
    const entry = { revision, value: read(), size: 1 };
    this.#entries.set(id, entry);
    try {
      const value = await entry.value;
      const isKept = this.#entries.peek(id) === entry;
      if (isKept) this.#entries.set(id, { ...entry, size: this.#sizeOf(value) });
      return value;
    } catch (error) {
      if (this.#entries.peek(id) === entry) this.#entries.delete(id);
      throw error;
    }
  }
}

/** The errors that end the read of one caller, and no other's. */
const OF_CALLER: ReadonlySet<string> = new Set(["CALL_CANCELLED", "EXPENSIVE_READS_LIMIT"]);

/** Awaits the read of another caller; undefined if this caller has left, or has too many expensive reads. */
async function takeShared<T>(read: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await read };
  } catch (error) {
    if (error instanceof DomainError && OF_CALLER.has(error.reason)) return undefined;
    throw error;
  }
}

/** A value read for a scope. It is the same throughout its period. */
interface Scoped<T> extends Period {
  readonly value: T;
}

/** Memoizes reads of scopes until the project changes, or until a window that was read starts or ends. */
export class ScopeMemo<T> {
  readonly #memo: RevisionMemo<Scoped<T>>;

  /** See {@link RevisionMemo}. */
  constructor(store: Pick<Store, "knownRevision">, most: number, sizeOf?: (value: T) => number) {
    this.#memo = new RevisionMemo(store, most, sizeOf && (({ value }) => sizeOf(value)));
  }

  /** See {@link RevisionMemo.find}; the scope is the key. A cached value limits the response, too. */
  async find<Scope extends VisibilityScope>(
    scope: Scope,
    read: (scope: Scope) => Promise<T>,
  ): Promise<T> {
    const { at, ...rest } = scope;
    const now = at?.time.getTime() ?? 0;
    const { value, until } = await this.#memo.find(
      scope.projectId,
      JSON.stringify([rest, at === undefined]),
      async () => {
        let until = Infinity;
        const limitUntil = (time: number) => {
          until = Math.min(until, time);
        };
        const value = await read({ ...scope, at: at && { time: at.time, limitUntil } });
        return { value, from: now, until };
      },
      (it) => isWithin(it, now),
    );
    if (until < Infinity) at?.limitUntil(until);
    return value;
  }
}

/** The bytes of the heap that a value of an object takes with its name, without its text. */
const VALUE = 96;

/** Estimates the bytes of the heap that a message or JSON takes. Counting ends beyond `most`. */
export function estimateHeap(value: unknown, most: number): number {
  const rest = [value];
  let bytes = 0;
  while (rest.length > 0 && bytes <= most) {
    const next = rest.pop();
    bytes += VALUE;
    if (typeof next === "string" || next instanceof Uint8Array) bytes += next.length;
    else if (typeof next === "object" && next !== null) {
      for (const each of Object.values(next)) rest.push(each);
    }
  }
  return bytes;
}
