import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Exchange } from "./exchange.ts";
import { invite } from "./request-body.ts";
import { toContextValues, toUniversalRequest } from "./universal.ts";

/** Calls a streaming method: request and answer go through as they come. */
export async function callStream(handler: UniversalHandler, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  invite(exchange);
  const body = request.iterator({ destroyOnReturn: false });
  const answer = await handler(toUniversalRequest(exchange, toContextValues(exchange), body));
  await universalResponseToNodeResponse(answer, response);
}
