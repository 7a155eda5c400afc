import type { Exchange } from "./exchange.ts";
import { overloaded } from "./refusal.ts";

/** The time after which a refused client may try again, in seconds. */
const RETRY_AFTER = 1;

/** The time for which requests begin in one turn of the event loop, in milliseconds. */
const TURN = 20;

/** The requests in progress in this process. */
export interface RequestLoad {
  /** The number of requests in progress. */
  readonly inProgress: number;
  /**
   * Counts a request until its response closes. Throws `OVERLOADED` if too many others are in progress: an early
   * answer costs less than one that comes when its client has gone. Health and reflection always succeed.
   *
   * Returns a promise if the request has to wait for its turn: those that arrive together, and whose reads are done
   * at once, would otherwise hold up health checks, and refusals, until the last of them is answered.
   */
  enter(exchange: Pick<Exchange, "path" | "response">): Promise<void> | undefined;
}

/** Creates the count of at most `limit` requests. `now` is the time in milliseconds by a monotonic clock. */
export function createRequestLoad(
  limit: number,
  now: () => number = () => performance.now(),
): RequestLoad {
  let count = 0;
  /** The time until which requests begin in this turn; undefined before its first request. */
  let turnEnd: number | undefined;
  const waiting: (() => void)[] = [];

  function beginTurn(): number {
    setImmediate(() => {
      turnEnd = undefined;
      const next = waiting.shift();
      if (next === undefined) return;
      turnEnd = beginTurn();
      next();
    });
    return now() + TURN;
  }

  return {
    get inProgress() {
      return count;
    },
    enter({ path, response }) {
      if (path.startsWith("/grpc.")) return undefined;
      if (count >= limit) throw overloaded(RETRY_AFTER);
      count += 1;
      response.once("close", () => {
        count -= 1;
      });
      turnEnd ??= beginTurn();
      if (waiting.length === 0 && now() < turnEnd) return undefined;
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}
