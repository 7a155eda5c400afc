import type { ContextValues } from "@connectrpc/connect";
import type { UniversalServerRequest } from "@connectrpc/connect/protocol";
import { openCall } from "../../api/steps/call.ts";
import { toAbort, toRequestInfo } from "../incoming-call.ts";
import type { Exchange } from "../server/exchange.ts";
import { toWebHeaders } from "../server/headers.ts";

/** A request in the form of the Connect library, with the context of a new call. */
export type ConnectRequest = UniversalServerRequest & { readonly contextValues: ContextValues };

/** Converts an exchange to a request of the Connect library. */
export function toConnectRequest(
  exchange: Exchange,
  body: AsyncIterable<Uint8Array>,
): ConnectRequest {
  const { request, method, path, query } = exchange;
  return {
    httpVersion: request.httpVersion,
    method,
    // The authority is fixed: a URL made from the Host header could be malformed.
    url: `http://localhost${path}?${query}`,
    header: toWebHeaders(request),
    body,
    signal: toAbort(exchange).signal,
    contextValues: openCall(toRequestInfo(exchange)),
  };
}
