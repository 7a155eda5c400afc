import type { Store } from "../../storage/store.ts";

/** Memoizes reads of projects until the project changes. */
export interface RevisionMemo<T> {
  /**
   * Returns the cached value of a project's key, or reads it, once for all concurrent callers. A failed read
   * is not cached, nor one of an unknown revision; a cached value for which `holds` is false is read again.
   */
  find(
    projectId: string,
    key: string,
    read: () => Promise<T>,
    holds?: (value: T) => boolean,
  ): Promise<T>;
}

interface Entry<T> {
  readonly revision: number;
  readonly value: Promise<T>;
}

/** Creates a memo of at most `maxEntries`, which drops the least recently used. */
export function createRevisionMemo<T>(
  store: Pick<Store, "knownRevision">,
  maxEntries: number,
): RevisionMemo<T> {
  /** Ordered from the least recently used. */
  const entries = new Map<string, Entry<T>>();

  function keep(id: string, entry: Entry<T>): void {
    entries.delete(id);
    entries.set(id, entry);
    if (entries.size <= maxEntries) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      break;
    }
  }

  return {
    async find(projectId, key, read, holds = () => true) {
      const id = JSON.stringify([projectId, key]);
      // The revision is read before the data, so cached data are never older than their revision.
      const revision = store.knownRevision(projectId);
      if (revision === undefined) return read();
      let known = entries.get(id);
      while (known?.revision === revision) {
        keep(id, known);
        const value = await known.value;
        if (holds(value)) return value;
        // Another caller may have replaced the entry meanwhile.
        const newer = entries.get(id);
        known = newer === known ? undefined : newer;
      }
      const entry = { revision, value: read() };
      keep(id, entry);
      try {
        return await entry.value;
      } catch (fault) {
        if (entries.get(id) === entry) entries.delete(id);
        throw fault;
      }
    },
  };
}
