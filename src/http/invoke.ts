import type { DescMethod } from "@bufbuild/protobuf";
import { createHandlerContext, type HandlerContext } from "@connectrpc/connect";
import { toContextValues, toSignal } from "./connect/connect-request.ts";
import type { Exchange } from "./server/exchange.ts";
import { toWebHeaders } from "./server/headers.ts";

/** What the faces that call methods by themselves say of a call. */
export interface CallOptions {
  readonly protocolName: "connect" | "rest";
  readonly method: DescMethod;
  /** Aborted when nobody waits for the answer any more; default: when the exchange is over. */
  readonly signal?: AbortSignal;
}

/** Creates the context of a call whose answer is JSON; the Connect library makes its own. */
export function createCallContext(
  exchange: Exchange,
  { protocolName, method, signal = toSignal(exchange) }: CallOptions,
): HandlerContext & { abort: (reason?: unknown) => void } {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName,
    requestMethod: exchange.method,
    url: exchange.path,
    requestSignal: signal,
    requestHeader: toWebHeaders(exchange.request),
    responseHeader: { "content-type": "application/json" },
    contextValues: toContextValues(exchange),
  });
}
