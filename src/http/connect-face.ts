import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { callStream } from "./call-stream.ts";
import { callUnary } from "./call-unary.ts";
import { createReadOpener, type ReadOptions } from "./connect-read.ts";
import { isPreflight, preflightHeaders } from "./cors.ts";
import { toErrorAnswer } from "./errors.ts";
import type { Answer, Exchange, NodeRequest } from "./exchange.ts";
import { toConditionalAnswer, toTaggedAnswer, toUnkeptError } from "./freshness.ts";
import { createReadAnswerer } from "./read-answerer.ts";
import type { ReadyAnswer } from "./ready-answers.ts";
import { malformedRequest, methodNotAllowed, unsupportedMediaType } from "./refusal.ts";
import type { ResponseCache } from "./response-cache.ts";
import { sendAnswer } from "./send.ts";

/** Answers the paths of one listener's Connect services: Connect, gRPC and gRPC-Web. */
export interface ConnectFace {
  /** Tells whether a method lies at the path. */
  has(path: string): boolean;
  /** Finds the answer to a request that this face has answered before and that lies ready. */
  findReady(request: NodeRequest, clock: () => Date): ReadyAnswer | undefined;
  handle(exchange: Exchange): Promise<void>;
}

/** What the face stands on. */
export interface ConnectFaceOptions {
  /** The services, as the Connect library knows them. */
  readonly router: ConnectRouter;
  /** The same, for the reads that are answered without the library. */
  readonly reads: ReadOptions;
  /** Keeps answers to reads; absent: nothing does. */
  readonly cache?: ResponseCache | undefined;
}

/** Creates the face. */
export function createConnectFace({ router, reads, cache }: ConnectFaceOptions): ConnectFace {
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const openRead = createReadOpener(reads);
  const answerer = createReadAnswerer(cache);

  async function answerUnary(handler: UniversalHandler, exchange: Exchange): Promise<Answer> {
    const read = openRead(exchange);
    if (read !== undefined) {
      return toConditionalAnswer(exchange, await answerer.answer(read, exchange));
    }
    const answer = toUnkeptError(await callUnary(handler, exchange));
    const isRead = handler.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    return isRead ? toConditionalAnswer(exchange, toTaggedAnswer(answer)) : answer;
  }

  return {
    has: (path) => handlers.has(path),
    findReady: answerer.findReady,
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
        sendAnswer(request, response, await answerUnary(handler, exchange));
      } else {
        await callStream(handler, exchange);
      }
    },
  };
}

const EMPTY = new Uint8Array();

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
