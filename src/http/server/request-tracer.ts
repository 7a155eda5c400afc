import type { NodeRequest, NodeResponse, StreamHead } from "./exchange.ts";
import type { RequestOutcome, RequestSeries } from "./request-metrics.ts";

/** Traces the requests of a listener. */
export interface RequestTracer {
  /**
   * Runs the handling of a request within its span, which continues the trace of its headers and ends with the
   * response; the headers then name this span.
   */
  trace(traced: TracedRequest, handle: () => void): void;
  /** Records a request that was answered from the cache; `start` is the `performance.now()` of its beginning. */
  record(
    head: NodeRequest | StreamHead,
    series: RequestSeries,
    status: number,
    start: number,
  ): void;
}

/** What a span tells of a request. */
export interface TracedRequest {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  readonly path: string;
  readonly requestId: string;
  readonly outcome: RequestOutcome;
}
