import type { Store } from "./store.ts";

/** A value read from a project, with the revision that the project had then. */
export interface OfRevision {
  readonly projectId: string;
  readonly revision: number;
}

/** Caches what keys stand for in projects, until the project of the value changes. */
export interface LookupMemo<T extends OfRevision> {
  /** Returns the cached value of a key, or reads it; undefined results are not cached. */
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** Creates a memo of a bounded number of entries, which is cleared when full. */
export function createLookupMemo<T extends OfRevision>(
  { knownRevision }: Pick<Store, "knownRevision">,
  maxEntries: number,
): LookupMemo<T> {
  const entries = new Map<string, T>();
  return {
    async find(key, read) {
      const known = entries.get(key);
      if (known !== undefined && knownRevision(known.projectId) === known.revision) return known;
      entries.delete(key);
      const value = await read();
      if (value === undefined) return undefined;
      if (entries.size >= maxEntries) entries.clear();
      entries.set(key, value);
      return value;
    },
  };
}
