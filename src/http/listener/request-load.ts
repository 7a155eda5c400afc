import type { Exchange, ProgressCount } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { httpError } from "./rejection.ts";

/** How long a rejected client waits before it tries again, in seconds. */
const RETRY_AFTER = 1;

/** The share of the requests in progress, and of the memory for their bodies, that an organization may have. */
const ORGANIZATION_SHARE = 0.75;

type Request = Pick<Exchange, "path">;

/** A request whose body has arrived, with the bytes of the body that count. */
interface AdmittedRequest {
  readonly organizationId: string;
  readonly bytes: number;
}

/** Counts the requests that this process works on, and limits them. A request that waits for its client is not one. */
export class RequestLoad implements ProgressCount {
  readonly #limit: number;
  /** The requests in progress; without a value before their bodies have arrived. */
  readonly #requests = new Map<Request, AdmittedRequest | undefined>();
  /** The requests of each organization, and the bytes of their bodies. */
  readonly #organizations = new Map<string, { requests: number; bytes: number }>();
  #bytes = 0;

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
    this.#requests.set(request, undefined);
  }

  admit(request: Request, organizationId: string, bodyBytes: number): void {
    if (!this.#requests.has(request) || this.#requests.get(request) !== undefined) return;
    const bytes = Math.max(bodyBytes - HTTP_LIMITS.uncountedBody, 0);
    const held = this.#organizations.get(organizationId) ?? { requests: 0, bytes: 0 };
    const isFull =
      held.requests >= this.#limit * ORGANIZATION_SHARE ||
      (bytes > 0 &&
        (held.bytes + bytes > HTTP_LIMITS.bodies * ORGANIZATION_SHARE ||
          this.#bytes + bytes > HTTP_LIMITS.bodies));
    if (isFull) throw httpError.overloaded(RETRY_AFTER);
    this.#requests.set(request, { organizationId, bytes });
    this.#organizations.set(organizationId, held);
    held.requests += 1;
    held.bytes += bytes;
    this.#bytes += bytes;
  }

  leave(request: Request): boolean {
    const admitted = this.#requests.get(request);
    const wasCounted = this.#requests.delete(request);
    if (admitted === undefined) return wasCounted;
    const held = this.#organizations.get(admitted.organizationId);
    if (held === undefined) return wasCounted;
    held.requests -= 1;
    held.bytes -= admitted.bytes;
    this.#bytes -= admitted.bytes;
    if (held.requests === 0) this.#organizations.delete(admitted.organizationId);
    return wasCounted;
  }
}
