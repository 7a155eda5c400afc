import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { isUnforeseen } from "../../call/errors.ts";
import { createReadAnswerer } from "../cache/cached-get.ts";
import { toConditionalAnswer, toTaggedAnswer, toUnkeptError } from "../cache/conditional-get.ts";
import type { ReadyAnswer } from "../cache/hot-index.ts";
import type { ResponseCache } from "../cache/response-cache.ts";
import { isPreflight, preflightHeaders } from "../server/cors.ts";
import { toErrorAnswer, toStreamErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange, NodeRequest } from "../server/exchange.ts";
import {
  malformedRequest,
  methodNotAllowed,
  unsupportedMediaType,
  unsupportedVersion,
} from "../server/refusal.ts";
import { sendAnswer } from "../server/send.ts";
import { callStream } from "./call-stream.ts";
import { callUnary } from "./call-unary.ts";
import { createReadOpener, type ReadOptions } from "./connect-get.ts";
import type { StreamSlots } from "./stream-slots.ts";

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
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
  /** Of all streaming calls of this process. */
  readonly slots: StreamSlots;
  /** Keeps answers to reads; absent: nothing does. */
  readonly cache?: ResponseCache | undefined;
}

/** Creates the face. */
export function createConnectFace(options: ConnectFaceOptions): ConnectFace {
  const { router, reads, bodyLimitOf, slots, cache } = options;
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const openRead = createReadOpener(reads);
  const answerer = createReadAnswerer(cache);

  async function answerUnary(handler: UniversalHandler, exchange: Exchange): Promise<Answer> {
    const read = openRead(exchange);
    if (read !== undefined) {
      return toConditionalAnswer(exchange, await answerer.answer(read, exchange));
    }
    const answer = toUnkeptError(await callUnary(handler, exchange, bodyLimitOf(handler.service)));
    const isRead = handler.method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
    return isRead ? toConditionalAnswer(exchange, toTaggedAnswer(answer)) : answer;
  }

  async function answerStream(handler: UniversalHandler, exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    try {
      slots.take(exchange);
      await callStream(handler, exchange, bodyLimitOf(handler.service));
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      sendAnswer(request, response, toStreamErrorAnswer(cause, request));
    }
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
        await answerStream(handler, exchange);
      }
    },
  };
}

const EMPTY = new Uint8Array();

function findRefusal(handler: UniversalHandler, { method, request, query }: Exchange) {
  if (!handler.allowedMethods.includes(method)) {
    return methodNotAllowed([...handler.allowedMethods].sort());
  }
  if (handler.method.methodKind === "bidi_streaming" && request.stream === undefined) {
    return unsupportedVersion();
  }
  if (method === "GET") {
    const encoding = new URLSearchParams(query).get("encoding");
    if (encoding === null) {
      return malformedRequest("QUERY_MALFORMED", "the query must hold encoding=json and a message");
    }
    const isKnown = encoding === "json" || encoding === "proto";
    return isKnown ? undefined : unsupportedMediaType("encoding must be json or proto");
  }
  const type = request.headers["content-type"] ?? "";
  if (handler.supportedContentType(type || null) && !GRPC_WEB_TEXT.test(type)) return undefined;
  return unsupportedMediaType(
    handler.method.methodKind === "unary"
      ? "the body must be application/json or application/proto, or those of gRPC"
      : "the body must be application/connect+json or application/connect+proto, or those of gRPC",
  );
}

/** The library counts it among the types of gRPC-Web, and cannot read it. */
const GRPC_WEB_TEXT = /^application\/grpc-web-text/i;
