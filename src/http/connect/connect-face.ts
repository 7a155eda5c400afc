import type { ServiceImplSpec } from "@connectrpc/connect";
import { isPreflight, preflightHeaders } from "../server/cors.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import { methodNotAllowed } from "../server/refusal.ts";
import { sendAnswer } from "../server/send.ts";
import { createUnaryCalls, type UnaryCallOptions, type UnaryCalls } from "./call-unary.ts";
import { GrpcServices } from "./grpc-services.ts";
import type { StreamSlots } from "./stream-slots.ts";

/** Answers calls over Connect, gRPC and gRPC-Web. */
export interface ConnectFace {
  readonly hotIndex?: UnaryCalls["hotIndex"];
  /** Returns the function that answers the method at a path; undefined for an unknown one. */
  find(path: string): ((exchange: Exchange) => Promise<void>) | undefined;
}

/** The services of one listener and the limits of calls. */
export interface ConnectFaceOptions extends UnaryCallOptions {
  /** The services of gRPC itself, such as health, which need no credentials. Default: none. */
  readonly openServices?: readonly ServiceImplSpec[];
  /** The slots of all streaming calls of this process. */
  readonly slots: StreamSlots;
}

/** Creates the face. */
export function createConnectFace(options: ConnectFaceOptions): ConnectFace {
  const { openServices = [], slots } = options;
  const unary = createUnaryCalls(options);
  const grpc = new GrpcServices(openServices, slots);

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
      if (!grpc.has(path)) return undefined;
      return async (exchange) => {
        if (!isAnswered(exchange, CALL_METHODS)) await grpc.answer(exchange);
      };
    },
  };
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
