import type { Exchange, NodeResponse } from "./exchange.ts";
import { httpError } from "./rejection.ts";

/** How long a rejected client waits before it tries again, in seconds. */
const RETRY_AFTER = 1;

/** Counts the requests in progress in this process, and limits them. */
export class RequestLoad {
  readonly #limit: number;
  readonly #responses = new Set<NodeResponse>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of requests in progress. */
  get inProgress(): number {
    return this.#responses.size;
  }

  /**
   * Counts a request until its response closes. Throws `OVERLOADED` if too many others are in progress: an early
   * response costs less than one that comes when its client has gone. Health and reflection always succeed.
   */
  enter({ path, response }: Pick<Exchange, "path" | "response">): void {
    if (path.startsWith("/grpc.")) return;
    if (this.#responses.size >= this.#limit) throw httpError.overloaded(RETRY_AFTER);
    this.#responses.add(response);
    response.once("close", () => this.leave({ response }));
  }

  /** Counts a request no longer, for example while it waits for a change. */
  leave({ response }: Pick<Exchange, "response">): void {
    this.#responses.delete(response);
  }
}
