import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { isUnforeseen } from "../../call/errors.ts";
import {
  toConditionalAnswer,
  toTaggedAnswer,
  toUncacheableError,
} from "../cache/conditional-get.ts";
import { isPreflight, preflightHeaders } from "../server/cors.ts";
import { toErrorAnswer, toStreamErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange } from "../server/exchange.ts";
import { methodNotAllowed, unsupportedMediaType, unsupportedVersion } from "../server/refusal.ts";
import { sendAnswer } from "../server/send.ts";
import { callStream } from "./call-stream.ts";
import { callUnary } from "./call-unary.ts";
import type { StreamSlots } from "./stream-slots.ts";

/** Answers calls over Connect, gRPC and gRPC-Web through the Connect library. */
export interface ConnectFace {
  /** Returns the function that answers the method at a path; undefined for an unknown one. */
  find(path: string): ((exchange: Exchange) => Promise<void>) | undefined;
}

/** The services of one listener and the limits of calls. */
export interface ConnectFaceOptions {
  readonly router: ConnectRouter;
  /** The largest request message of a service, in bytes. */
  readonly bodyLimitOf: (service: DescService) => number;
  /** The slots of all streaming calls of this process. */
  readonly slots: StreamSlots;
}

/** Creates the face. */
export function createConnectFace({ router, bodyLimitOf, slots }: ConnectFaceOptions): ConnectFace {
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  return {
    find(path) {
      const handler = handlers.get(path);
      return handler && ((exchange) => handle(handler, exchange));
    },
  };

  async function handle(handler: UniversalHandler, exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    if (isPreflight(exchange)) {
      const headers = preflightHeaders(handler.allowedMethods);
      sendAnswer(request, response, { status: 204, headers, body: EMPTY });
      return;
    }
    const refusal = findRefusal(handler, exchange);
    if (refusal !== undefined) {
      sendAnswer(request, response, toErrorAnswer(refusal, "connect"));
    } else if (handler.method.methodKind === "unary") {
      sendAnswer(request, response, await answerUnary(handler, exchange));
    } else {
      await answerStream(handler, exchange);
    }
  }

  async function answerUnary(handler: UniversalHandler, exchange: Exchange): Promise<Answer> {
    const called = await callUnary(handler, exchange, bodyLimitOf(handler.service));
    const answer = toUncacheableError(called);
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
}

const EMPTY = new Uint8Array();

function findRefusal(handler: UniversalHandler, { method, request }: Exchange) {
  if (!handler.allowedMethods.includes(method)) {
    return methodNotAllowed([...handler.allowedMethods].sort());
  }
  if (handler.method.methodKind === "bidi_streaming" && request.stream === undefined) {
    return unsupportedVersion();
  }
  if (method === "GET") return undefined;
  const type = request.headers["content-type"] ?? "";
  if (handler.supportedContentType(type || null) && !GRPC_WEB_TEXT.test(type)) return undefined;
  return unsupportedMediaType(
    handler.method.methodKind === "unary"
      ? "the body must be application/json or application/proto, or those of gRPC"
      : "the body must be application/connect+json or application/connect+proto, or those of gRPC",
  );
}

/** A type that the library lists as gRPC-Web but cannot read. */
const GRPC_WEB_TEXT = /^application\/grpc-web-text/i;
