import { databaseUnavailable } from "../../domain/base/errors.ts";
import { TurnQueue } from "../../domain/base/turn-queue.ts";
import { POOL_TIMEOUT_MS } from "./client-settings.ts";

/** Shares connections between the owners of reads or of transactions, such as projects, which take turns when they wait. */
export class ConnectionTurns {
  readonly #queue = new TurnQueue<() => void>();
  #free: number;

  /** `connections` is their number. */
  constructor(connections: number) {
    this.#free = connections;
  }

  /** The number of those that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Calls `run` when it is its turn. UNAVAILABLE `DATABASE_UNAVAILABLE` after 10 seconds. */
  async run<T>(owner: string, run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(owner);
    try {
      return await run();
    } finally {
      const next = this.#queue.take();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #wait(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#queue.remove(owner, begin);
        reject(databaseUnavailable(new Error("the calls before it take too long")));
      }, POOL_TIMEOUT_MS);
      this.#queue.add(owner, begin);
    });
  }
}
