import type { IncomingCall } from "../call/chain.ts";
import type { RequestInfo } from "../call/context.ts";
import { CALL_OVER } from "../call/errors.ts";
import type { Exchange } from "./server/exchange.ts";
import { toWebHeaders } from "./server/headers.ts";

/**
 * Converts an exchange to a call; its signal is aborted when the exchange is over, unless another signal is
 * given.
 */
export function toIncomingCall(
  exchange: Exchange,
  protocolName: IncomingCall["protocolName"],
  more: Partial<Pick<IncomingCall, "caller" | "signal">> = {},
): IncomingCall {
  return {
    protocolName,
    requestMethod: exchange.method,
    path: exchange.path,
    header: toWebHeaders(exchange.request),
    request: toRequestInfo(exchange),
    signal: more.signal ?? toAbort(exchange).signal,
    ...(more.caller && { caller: more.caller }),
  };
}

/** Returns the facts of a request that are known before its message is read. */
export function toRequestInfo({ requestId, now, client }: Exchange): RequestInfo {
  return { requestId, now, ...client };
}

/** Creates the abort controller of an exchange, which aborts when the response is closed. */
export function toAbort({ response }: Exchange): AbortController {
  const abort = new AbortController();
  response.once("close", () => abort.abort(CALL_OVER));
  return abort;
}
