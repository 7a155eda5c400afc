import type { Exchange } from "./exchange.ts";

/** Traces the requests of a listener. */
export interface RequestTracer {
  /**
   * Runs the handling of a request within its span, which continues the trace of its headers and ends with the
   * response; the headers then name this span.
   */
  trace(exchange: TracedRequest, handle: () => void): void;
}

/** The parts of an exchange that its span shows. */
export type TracedRequest = Pick<
  Exchange,
  "outcome" | "path" | "request" | "requestId" | "response"
>;
