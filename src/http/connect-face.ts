import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { callStream } from "./call-stream.ts";
import { callUnary } from "./call-unary.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { toErrorAnswer } from "./errors.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { toConditionalAnswer, toTaggedAnswer } from "./freshness.ts";
import { malformedRequest, methodNotAllowed, unsupportedMediaType } from "./refusal.ts";
import type { ResponseCache } from "./response-cache.ts";
import { sendAnswer } from "./send.ts";

/** Answers the paths of one listener's Connect services: Connect, gRPC and gRPC-Web. */
export interface ConnectFace {
  /** Tells whether a method lies at the path. */
  has(path: string): boolean;
  handle(exchange: Exchange): Promise<void>;
}

/**
 * Creates the face of the services that were registered with a router. Answers to reads are kept in
 * the cache, if there is one.
 */
export function createConnectFace(router: ConnectRouter, cache?: ResponseCache): ConnectFace {
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return {
    has: (path) => handlers.has(path),
    async handle(exchange) {
      const { request, response } = exchange;
      const handler = handlers.get(exchange.path);
      if (handler === undefined) throw new Error(`nothing lies at ${exchange.path}`);
      if (isPreflight(exchange)) {
        const headers = preflightHeaders(handler.allowedMethods);
        sendAnswer(request, response, { status: 204, headers, body: EMPTY });
        return;
      }
      const refusal = findRefusal(handler, exchange);
      if (refusal !== undefined) {
        sendAnswer(request, response, toErrorAnswer(refusal, "connect"));
        return;
      }
      if (handler.method.methodKind === "unary") {
        sendAnswer(request, response, await answerUnary(handler, exchange, cache));
      } else {
        await callStream(handler, exchange);
      }
    },
  };
}

const EMPTY = new Uint8Array();

async function answerUnary(
  handler: UniversalHandler,
  exchange: Exchange,
  cache: ResponseCache | undefined,
): Promise<Answer> {
  if (handler.method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) {
    return callUnary(handler, exchange);
  }
  const fetch = async () => toTaggedAnswer(await callUnary(handler, exchange));
  const isShareable = cache !== undefined && exchange.method === "GET";
  const answer = isShareable ? await cache.answer(exchange, handler, fetch) : await fetch();
  return toConditionalAnswer(exchange, answer);
}

function findRefusal(handler: UniversalHandler, { method, request, query }: Exchange) {
  if (!handler.allowedMethods.includes(method)) {
    return methodNotAllowed([...handler.allowedMethods].sort());
  }
  if (method === "GET") {
    const encoding = new URLSearchParams(query).get("encoding");
    if (encoding === "json" || encoding === "proto") return undefined;
    return malformedRequest("QUERY_MALFORMED", "the query must hold encoding=json and a message");
  }
  if (!handler.supportedContentType(request.headers["content-type"] ?? null)) {
    return unsupportedMediaType("application/json or application/proto, or those of gRPC");
  }
  return undefined;
}
