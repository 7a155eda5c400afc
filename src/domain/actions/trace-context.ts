/** The headers of a trace that a request belongs to (W3C Trace Context). */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** The longest state that is passed on, as the specification asks. */
const MOST_STATE = 512;

/** Reads the trace of a request; undefined if it names none, or not as the specification says. */
export function readTraceContext(headers: Pick<Headers, "get">): TraceContext | undefined {
  const traceparent = headers.get("traceparent") ?? "";
  if (!TRACEPARENT.test(traceparent)) return undefined;
  const tracestate = headers.get("tracestate") ?? "";
  const isSent = tracestate !== "" && tracestate.length <= MOST_STATE;
  return { traceparent, ...(isSent && { tracestate }) };
}
