import { Code, ConnectError, type ContextValues, createContextValues } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { requestKey } from "../../call/caller.ts";
import type { Exchange } from "../server/exchange.ts";
import { toWebHeaders } from "../server/headers.ts";

/** Turns an exchange into what the Connect library takes for a request. */
export function toUniversalRequest(
  exchange: Exchange,
  contextValues: ContextValues,
  body: AsyncIterable<Uint8Array>,
): UniversalServerRequest {
  const { request, method, path, query } = exchange;
  return {
    httpVersion: request.httpVersion,
    method,
    // The authority is fixed: a URL made from the Host header could be malformed.
    url: `http://localhost${path}?${query}`,
    header: toWebHeaders(request),
    body,
    signal: toSignal(exchange),
    contextValues,
  };
}

/** Makes the values of a call that interceptors and handlers look up. */
export function toContextValues({ requestId, now, client }: Exchange): ContextValues {
  const values = createContextValues();
  values.set(requestKey, { requestId, now, ...client });
  return values;
}

/** Why a call's signal is aborted at its end. Without a reason, each abort would make an error. */
export const CALL_OVER = new ConnectError("the call is over", Code.Canceled);

/** Makes what is aborted when an exchange is over. */
export function toAbort({ response }: Exchange): AbortController {
  const abort = new AbortController();
  response.once("close", () => abort.abort(CALL_OVER));
  return abort;
}

/** Makes the signal that tells a call when its exchange is over. */
export function toSignal(exchange: Exchange): AbortSignal {
  return toAbort(exchange).signal;
}
