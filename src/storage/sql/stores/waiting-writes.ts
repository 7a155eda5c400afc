import type { WriteIn } from "../base/connections.ts";

/** Counts the writes that wait for their turn in a queue, for a connection, or for the lock. */
export class WaitingWrites {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns a runner of transactions whose writes are counted until they begin. */
  over(writer: { readonly write: WriteIn }): WriteIn {
    return async (scope, run) => {
      let isWaiting = true;
      this.#count += 1;
      const begin = () => {
        if (isWaiting) this.#count -= 1;
        isWaiting = false;
      };
      try {
        return await writer.write(scope, (tx) => {
          begin();
          return run(tx);
        });
      } finally {
        begin();
      }
    };
  }
}
