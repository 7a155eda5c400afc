import { databaseUnavailable } from "../../domain/base/errors.ts";
import { POOL_TIMEOUT_MS } from "./client-settings.ts";

/**
 * Shares connections between organizations: each that waits gets the next one in turn, regardless of how many of its
 * reads wait.
 */
export class ReadTurns {
  /** The reads that wait, by organization; the organization whose turn is next is the first. */
  readonly #waiting = new Map<string, Set<() => void>>();
  #free: number;

  /** `connections` is their number. */
  constructor(connections: number) {
    this.#free = connections;
  }

  /** The number of reads that wait. */
  get waiting(): number {
    let count = 0;
    for (const reads of this.#waiting.values()) count += reads.size;
    return count;
  }

  /** Runs a read when it is its turn. UNAVAILABLE `DATABASE_UNAVAILABLE` after 10 seconds. */
  async run<T>(organizationId: string, read: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(organizationId);
    try {
      return await read();
    } finally {
      this.#passOn();
    }
  }

  #wait(organizationId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const reads = this.#waiting.get(organizationId) ?? new Set();
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        reads.delete(begin);
        if (reads.size === 0) this.#waiting.delete(organizationId);
        reject(databaseUnavailable(new Error("the reads before it take too long")));
      }, POOL_TIMEOUT_MS);
      this.#waiting.set(organizationId, reads.add(begin));
    });
  }

  /** Passes a connection on. The other reads of its organization wait behind one of each other organization. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    const [organizationId, reads] = next;
    const [begin] = reads;
    this.#waiting.delete(organizationId);
    if (begin !== undefined) reads.delete(begin);
    if (reads.size > 0) this.#waiting.set(organizationId, reads);
    begin?.();
  }
}
