import type { ViewerIdentity } from "../../auth/viewer-token.ts";
import type { WorkBudget } from "../../domain/work-budget.ts";
import type { ProjectKey } from "../../storage/store.ts";
import { Freshness } from "./cache-control.ts";
import {
  type IncomingCall,
  type ProjectCaller,
  type RequestInfo,
  readHeader,
} from "./incoming-call.ts";

/** A call of the Delivery API whose steps have run, as handlers receive it. */
export class DeliveryCall {
  /** The project key of the caller. */
  readonly key: ProjectKey;
  /** The viewer of the token that replaces the key; undefined for a key. */
  readonly viewer: ViewerIdentity | undefined;
  readonly request: RequestInfo;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
  /** The budget of all reads for the response. */
  readonly budget: WorkBudget;
  /** The limits on caching the response. */
  readonly freshness = new Freshness();
  readonly #incoming: IncomingCall;

  constructor(incoming: IncomingCall, { key, viewer }: ProjectCaller, budget: WorkBudget) {
    this.key = key;
    this.viewer = viewer;
    this.request = incoming.request;
    this.signal = incoming.signal;
    this.budget = budget;
    this.#incoming = incoming;
    if (viewer !== undefined) this.freshness.markPersonal();
  }

  /** The time of the request. */
  get now(): Date {
    return this.request.now;
  }

  /** Returns a header of the request by its name in lower case; undefined if it was not sent. */
  readHeader(name: string): string | undefined {
    return readHeader(this.#incoming.headers, name);
  }

  /** Sets a header of the response by its name in lower case. */
  setHeader(name: string, value: string): void {
    this.#incoming.responseHeaders[name] = value;
  }
}
