import type { Changes } from "./connections.ts";

/** What was read of a project, with the revision that the project had at that moment. */
export interface OfRevision {
  readonly projectId: string;
  readonly revision: number;
}

/** Keeps what was read of projects until they change. */
export interface RevisionMemo<T extends OfRevision> {
  /** Returns what is kept under a key, or reads it; what is not found is not kept. */
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** Creates a memo of at most so many entries; one more than that and it begins anew. */
export function createRevisionMemo<T extends OfRevision>(
  { knownRevision }: Pick<Changes, "knownRevision">,
  maxEntries: number,
): RevisionMemo<T> {
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
