import { notFound } from "../domain/errors.ts";
import type { Store } from "../storage/store.ts";

/** Keeps what was read of projects until they change. */
export interface RevisionMemo<T> {
  /**
   * Finds what is kept of a project under a key, or reads it: once, however many ask at the same time.
   * What fails is not kept; what is kept and does not hold any more is read anew.
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

/** Creates a memo of at most so many entries; the longest unused goes first. */
export function createRevisionMemo<T>(
  store: Pick<Store, "knownRevision">,
  maxEntries: number,
): RevisionMemo<T> {
  /** In the order of use, the longest unused first. */
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
      // The revision is older than the data or the same age, so what is kept is never older than it.
      const revision = store.knownRevision(projectId);
      if (revision === undefined) throw notFound(`project ${projectId}`);
      let known = entries.get(id);
      while (known?.revision === revision) {
        keep(id, known);
        const value = await known.value;
        if (holds(value)) return value;
        // Another caller may have read it anew meanwhile.
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
