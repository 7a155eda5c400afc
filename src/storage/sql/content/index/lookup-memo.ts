import { LRUCache } from "lru-cache";
import type { Changes } from "../../../contract/store.ts";

/** A value read from a project, with the revision that the project had then. */
export interface OfRevision {
  readonly projectId: string;
  readonly revision: number;
}

/**
 * Caches the values of keys in projects, until the project of the value changes. The value has its revision, because a
 * replica that is behind returns an older one than is known.
 */
export class LookupMemo<T extends OfRevision> {
  readonly #changes: Pick<Changes, "knownRevision">;
  readonly #entries: LRUCache<string, T>;

  /** `max` is the maximum number of entries. */
  constructor(changes: Pick<Changes, "knownRevision">, max: number) {
    this.#changes = changes;
    // With `max`, the cache would take the memory of all entries at once.
    this.#entries = new LRUCache({ maxSize: max, sizeCalculation: () => 1 });
  }

  /** Returns the cached value of a key, or reads it; undefined results are not cached. */
  async find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.#entries.get(key);
    if (known !== undefined && this.#changes.knownRevision(known.projectId) === known.revision) {
      return known;
    }
    this.#entries.delete(key);
    const value = await read();
    if (value !== undefined) this.#entries.set(key, value);
    return value;
  }
}
