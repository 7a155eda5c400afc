import type { Exchange, ProgressCount } from "./exchange.ts";
import { httpError } from "./rejection.ts";

/** How long a rejected client waits before it tries again, in seconds. */
const RETRY_AFTER = 1;

/** Counts the requests that this process works on, and limits them. A request that waits for its client is not one. */
export class RequestLoad implements ProgressCount {
  readonly #limit: number;
  readonly #exchanges = new Set<Pick<Exchange, "path">>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of requests in progress. */
  get inProgress(): number {
    return this.#exchanges.size;
  }

  /** An early response costs less than one that comes when its client has gone. Health and reflection always succeed. */
  enter(exchange: Pick<Exchange, "path">): void {
    if (exchange.path.startsWith("/grpc.")) return;
    if (this.#exchanges.size >= this.#limit) throw httpError.overloaded(RETRY_AFTER);
    this.#exchanges.add(exchange);
  }

  leave(exchange: Pick<Exchange, "path">): void {
    this.#exchanges.delete(exchange);
  }
}
