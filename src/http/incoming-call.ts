import type { DescMethod } from "@bufbuild/protobuf";
import { abortCall } from "../api/steps/errors.ts";
import type { IncomingCall, RequestInfo } from "../api/steps/incoming-call.ts";
import type { Exchange } from "./listener/exchange.ts";

/** Creates the call of a method that an exchange makes; `signal` is aborted when the client no longer waits. */
export function toIncomingCall(
  exchange: Exchange,
  method: DescMethod,
  signal: AbortSignal,
): IncomingCall {
  const { request, path, query } = exchange;
  return {
    method,
    request: toRequestInfo(exchange),
    httpMethod: exchange.method,
    url: query === "" ? path : `${path}?${query}`,
    headers: request.headers,
    signal,
    responseHeaders: {},
    responseTrailers: {},
  };
}

/** Returns the facts of a request that are known before its message is read. */
export function toRequestInfo({ requestId, now, client }: Exchange): RequestInfo {
  const { address, trustsHeaders } = client;
  return { requestId, now, address, trustsHeaders };
}

/** Creates the abort controller of an exchange, which aborts when the response is closed. */
export function toAbort({ response }: Exchange): AbortController {
  const abort = new AbortController();
  if (response.closed) abortCall(abort);
  else response.once("close", () => abortCall(abort));
  return abort;
}
