import type { DescMethod } from "@bufbuild/protobuf";
import { setCaller } from "../api/pipeline.ts";
import type { Caller, RequestInfo } from "../api/steps/call.ts";
import { abortCall } from "../api/steps/errors.ts";
import { type IncomingCall, UnaryContext } from "../api/steps/unary-context.ts";
import type { Exchange } from "./server/exchange.ts";
import { toWebHeaders } from "./server/headers.ts";

/** What opens a call besides its exchange. */
export interface CallOpening extends Pick<IncomingCall, "protocolName" | "signal" | "timeoutMs"> {
  readonly method: DescMethod;
  readonly caller: Caller;
}

/** Opens the context of the call that an exchange makes. */
export function openContext(exchange: Exchange, opening: CallOpening): UnaryContext {
  const { request, method, path, query } = exchange;
  const context = new UnaryContext({
    method: opening.method,
    protocolName: opening.protocolName,
    requestMethod: method,
    url: query === "" ? path : `${path}?${query}`,
    request: toRequestInfo(exchange),
    signal: opening.signal,
    timeoutMs: opening.timeoutMs,
    readHeaders: () => toWebHeaders(request),
  });
  setCaller(context.values, opening.caller);
  return context;
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
