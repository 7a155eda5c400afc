import type { DescMethod } from "@bufbuild/protobuf";
import { createHandlerContext, type HandlerContext } from "@connectrpc/connect";
import type { Exchange } from "./exchange.ts";
import { toWebHeaders } from "./headers.ts";
import { toContextValues, toSignal } from "./universal.ts";

/** What the faces that call methods by themselves say of a call. */
export interface CallOptions {
  readonly protocolName: "connect" | "rest";
  readonly method: DescMethod;
  /** The caller's deadline, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** Creates the context of a call whose answer is JSON; the Connect library makes its own. */
export function createCallContext(
  exchange: Exchange,
  { protocolName, method, timeoutMs }: CallOptions,
): HandlerContext & { abort: (reason?: unknown) => void } {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName,
    requestMethod: exchange.method,
    url: exchange.path,
    ...(timeoutMs !== undefined && { timeoutMs }),
    requestSignal: toSignal(exchange),
    requestHeader: toWebHeaders(exchange.request),
    responseHeader: { "content-type": "application/json" },
    contextValues: toContextValues(exchange),
  });
}
