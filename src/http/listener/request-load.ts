import type { Exchange } from "./exchange.ts";
import { overloaded } from "./refusal.ts";

/** The time after which a refused client may try again, in seconds. */
const RETRY_AFTER = 1;

/** The requests in progress in this process. */
export interface RequestLoad {
  /** The number of requests in progress. */
  readonly inProgress: number;
  /**
   * Counts a request until its response closes. Throws `OVERLOADED` if too many others are in progress: an early
   * answer costs less than one that comes when its client has gone. Health and reflection always succeed.
   */
  enter(exchange: Pick<Exchange, "path" | "response">): void;
}

/** Creates the count of at most `limit` requests. */
export function createRequestLoad(limit: number): RequestLoad {
  let count = 0;
  return {
    get inProgress() {
      return count;
    },
    enter({ path, response }) {
      if (path.startsWith("/grpc.")) return;
      if (count >= limit) throw overloaded(RETRY_AFTER);
      count += 1;
      response.once("close", () => {
        count -= 1;
      });
    },
  };
}
