import { LRUCache } from "lru-cache";
import { isWithin, type Period } from "../../domain/base/period.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { Store } from "../../storage/contract/store.ts";

interface Entry<T> {
  readonly revision: number;
  readonly value: Promise<T>;
}

/** Memoizes reads of projects until the project changes, the most recently used ones. */
export class RevisionMemo<T> {
  readonly #store: Pick<Store, "knownRevision">;
  readonly #entries: LRUCache<string, Entry<T>>;

  constructor(store: Pick<Store, "knownRevision">, maxEntries: number) {
    this.#store = store;
    // With `max`, the cache would take the memory of all entries at once.
    this.#entries = new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
  }

  /**
   * Returns the cached value of a project's key, or reads it, once for all concurrent callers. A failed read is not
   * cached, and neither is a value of an unknown revision. A cached value that fails `holds` is read again.
   */
  async find(
    projectId: string,
    key: string,
    read: () => Promise<T>,
    holds: (value: T) => boolean = () => true,
  ): Promise<T> {
    const id = JSON.stringify([projectId, key]);
    // The revision is read before the data, so cached data are never older than their revision.
    const revision = this.#store.knownRevision(projectId);
    if (revision === undefined) return read();
    let known = this.#entries.get(id);
    while (known?.revision === revision) {
      const value = await known.value;
      if (holds(value)) return value;
      // Another caller may have replaced the entry in between.
      const newer = this.#entries.get(id);
      known = newer === known ? undefined : newer;
    }
    const entry = { revision, value: read() };
    this.#entries.set(id, entry);
    try {
      return await entry.value;
    } catch (error) {
      if (this.#entries.peek(id) === entry) this.#entries.delete(id);
      throw error;
    }
  }
}

/** A value read for a scope. It is the same throughout its period. */
interface Scoped<T> extends Period {
  readonly value: T;
}

/** Memoizes reads of scopes until the project changes, or until a window that was read starts or ends. */
export class ScopeMemo<T> {
  readonly #memo: RevisionMemo<Scoped<T>>;

  constructor(store: Pick<Store, "knownRevision">, maxEntries: number) {
    this.#memo = new RevisionMemo(store, maxEntries);
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
