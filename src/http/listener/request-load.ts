import type { Exchange, ProgressCount } from "./exchange.ts";
import { httpError } from "./rejection.ts";

/** How long a rejected client waits before it tries again, in seconds. */
const RETRY_AFTER = 1;

/** The share of the requests in progress that an organization may have. */
const ORGANIZATION_SHARE = 0.75;

type Request = Pick<Exchange, "path">;

/** Counts the requests that this process works on, and limits them. A request that waits for its client is not one. */
export class RequestLoad implements ProgressCount {
  readonly #limit: number;
  /** The requests in progress, each with its organization; empty before that is known. */
  readonly #requests = new Map<Request, string>();
  /** The number of requests of each organization. */
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of requests in progress. */
  get inProgress(): number {
    return this.#requests.size;
  }

  /** An early response costs less than one that comes when its client has gone. Health and reflection always succeed. */
  enter(request: Request): void {
    if (request.path.startsWith("/grpc.")) return;
    if (this.#requests.size >= this.#limit) throw httpError.overloaded(RETRY_AFTER);
    this.#requests.set(request, "");
  }

  admit(request: Request, organizationId: string): void {
    if (this.#requests.get(request) !== "") return;
    const count = this.#counts.get(organizationId) ?? 0;
    if (count >= this.#limit * ORGANIZATION_SHARE) throw httpError.overloaded(RETRY_AFTER);
    this.#requests.set(request, organizationId);
    this.#counts.set(organizationId, count + 1);
  }

  leave(request: Request): boolean {
    const organizationId = this.#requests.get(request) ?? "";
    const wasCounted = this.#requests.delete(request);
    if (organizationId === "") return wasCounted;
    const left = (this.#counts.get(organizationId) ?? 0) - 1;
    if (left > 0) this.#counts.set(organizationId, left);
    else this.#counts.delete(organizationId);
    return wasCounted;
  }
}
