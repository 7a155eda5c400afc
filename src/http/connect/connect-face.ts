import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { isUnforeseen } from "../../api/steps/errors.ts";
import { isPreflight, preflightHeaders } from "../server/cors.ts";
import { protocolOf, toErrorAnswer, toStreamErrorAnswer } from "../server/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import { methodNotAllowed, unsupportedMediaType, unsupportedVersion } from "../server/refusal.ts";
import { sendAnswer } from "../server/send.ts";
import { callStream } from "./call-stream.ts";
import { createUnaryCalls, type UnaryCallOptions, type UnaryCalls } from "./call-unary.ts";
import { createStreamRouter, type StreamRouterOptions } from "./stream-router.ts";
import type { StreamSlots } from "./stream-slots.ts";

/** Answers calls over Connect, gRPC and gRPC-Web; streaming ones through the Connect library. */
export interface ConnectFace {
  readonly hotIndex?: UnaryCalls["hotIndex"];
  /** Returns the function that answers the method at a path; undefined for an unknown one. */
  find(path: string): ((exchange: Exchange) => Promise<void>) | undefined;
}

/** The services of one listener and the limits of calls. */
export interface ConnectFaceOptions extends UnaryCallOptions, StreamRouterOptions {
  /** The slots of all streaming calls of this process. */
  readonly slots: StreamSlots;
}

/** Creates the face. */
export function createConnectFace(options: ConnectFaceOptions): ConnectFace {
  const { bodyLimitOf, slots } = options;
  const unary = createUnaryCalls(options);
  const streams = createStreamRouter(options);

  return {
    hotIndex: unary.hotIndex,

    find(path) {
      const method = unary.find(path);
      if (method !== undefined) {
        const allowed = method.isRead ? READ_METHODS : CALL_METHODS;
        return async (exchange) => {
          if (isAnswered(exchange, allowed)) return;
          sendAnswer(exchange, await unary.answer(method, exchange));
        };
      }
      const handler = streams.get(path);
      return (
        handler &&
        (async (exchange) => {
          if (!isAnswered(exchange, CALL_METHODS)) await answerStream(handler, exchange);
        })
      );
    },
  };

  async function answerStream(handler: UniversalHandler, exchange: Exchange): Promise<void> {
    exchange.outcome.setMethod(protocolOf(exchange.request), exchange.path.slice(1));
    const refusal = findStreamRefusal(handler, exchange);
    if (refusal !== undefined) {
      sendAnswer(exchange, toErrorAnswer(refusal, "connect"));
      return;
    }
    try {
      slots.take(exchange);
      await callStream(handler, exchange, bodyLimitOf(handler.service));
    } catch (cause) {
      if (isUnforeseen(cause)) throw cause;
      sendAnswer(exchange, toStreamErrorAnswer(cause, exchange.request));
    }
  }
}

const READ_METHODS: readonly string[] = ["GET", "POST"];
const CALL_METHODS: readonly string[] = ["POST"];

/** Answers a preflight, and any HTTP method that is not allowed; reports whether it did. */
function isAnswered(exchange: Exchange, allowed: readonly string[]): boolean {
  if (allowed.includes(exchange.method)) return false;
  const answer = isPreflight(exchange)
    ? { status: 204, headers: preflightHeaders(allowed), body: new Uint8Array() }
    : toErrorAnswer(methodNotAllowed(allowed), "connect");
  sendAnswer(exchange, answer);
  return true;
}

function findStreamRefusal(handler: UniversalHandler, { request }: Exchange) {
  if (handler.method.methodKind === "bidi_streaming" && request.stream === undefined) {
    return unsupportedVersion();
  }
  const type = request.headers["content-type"] ?? "";
  if (handler.supportedContentType(type || null) && !GRPC_WEB_TEXT.test(type)) return undefined;
  return unsupportedMediaType(
    "the body must be application/connect+json or application/connect+proto, or those of gRPC",
  );
}

/** A type that the library lists as gRPC-Web but cannot read. */
const GRPC_WEB_TEXT = /^application\/grpc-web-text/i;
