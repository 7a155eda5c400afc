/** Keeps what was read until anything changes. */
export interface VersionMemo<T> {
  /** Returns what is kept under a key at the present version, or reads it; what is not found is not kept. */
  find(key: string, read: () => Promise<T | undefined>): Promise<T | undefined>;
}

/** Creates a memo of at most so many entries; one more than that and it begins anew. */
export function createVersionMemo<T>(version: () => number, maxEntries: number): VersionMemo<T> {
  const entries = new Map<string, { readonly version: number; readonly value: T }>();
  return {
    async find(key, read) {
      // Older than what is read or the same age, so that nothing is kept for longer than it holds.
      const current = version();
      const known = entries.get(key);
      if (known?.version === current) return known.value;
      entries.delete(key);
      const value = await read();
      if (value === undefined) return undefined;
      if (entries.size >= maxEntries) entries.clear();
      entries.set(key, { version: current, value });
      return value;
    },
  };
}
