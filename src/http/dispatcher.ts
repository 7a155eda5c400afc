import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { Code } from "../domain/errors.ts";
import { isUnforeseen } from "../interceptors/errors.ts";
import { logAccess, logUnreadable } from "./access-log.ts";
import type { ConnectFace } from "./connect-face.ts";
import { allowOrigins } from "./cors.ts";
import { errorFormOf, isProcedure, toErrorAnswer } from "./errors.ts";
import { type Answer, beginExchange, type Exchange } from "./exchange.ts";
import { readGrpcType } from "./grpc.ts";
import { checkRequest } from "./guard.ts";
import { HTTP_LIMITS } from "./limits.ts";
import type { RequestListener } from "./listener.ts";
import { expectationFailed, methodNotAllowed, unknownPath } from "./refusal.ts";
import type { RestFace } from "./rest-face.ts";
import { sendAnswer } from "./send.ts";
import { toRefusal, writeRefusal } from "./unreadable.ts";

/** Answers a GET of a path of the service itself, such as `/healthz`. */
export type Endpoint = () => Answer | Promise<Answer>;

/** What one listener answers. */
export interface DispatcherOptions {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly connect: ConnectFace;
  /** Absent on a listener that is for delivery only. */
  readonly rest?: RestFace;
  /** Tells whether the server is closing: then no connection is kept for another request. */
  readonly isClosing: () => boolean;
}

/** Creates what a listener does with a request: guard, then the face that has the path, or 404. */
export function createDispatcher(options: DispatcherOptions): RequestListener {
  const { log, clock, endpoints, connect, rest, isClosing } = options;
  /** The last request of each HTTP/1 connection. */
  const latest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();

  async function dispatch(exchange: Exchange): Promise<void> {
    if (isProcedure(exchange.path)) allowOrigins(exchange);
    checkRequest(exchange);
    checkExpectation(exchange);
    const endpoint = endpoints.get(exchange.path);
    if (endpoint !== undefined) return answerEndpoint(exchange, endpoint);
    if (connect.has(exchange.path)) return connect.handle(exchange);
    if (rest !== undefined && !isProcedure(exchange.path)) return rest(exchange);
    // A gRPC caller tries another version of a service when this one is not implemented.
    throw unknownPath(readGrpcType(exchange.request) ? Code.UNIMPLEMENTED : Code.NOT_FOUND);
  }

  return {
    onRequest(request, response) {
      const exchange = beginExchange(request, response, randomUUID, clock());
      if (request.stream === undefined) {
        latest.set(request.socket, exchange);
        if (isClosing()) response.shouldKeepAlive = false;
      }
      logAccess(log, exchange);
      request.on("error", () => {});
      response.on("error", () => {});
      dispatch(exchange).catch((cause: unknown) => {
        if (isUnforeseen(cause) && !response.destroyed) {
          log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
        }
        sendAnswer(request, response, toErrorAnswer(cause, errorFormOf(exchange)));
      });
    },

    onUnreadable(fault, socket) {
      if (refused.has(socket)) return;
      refused.add(socket);
      if (fault.code === "ECONNRESET" || !socket.writable) {
        socket.destroy();
        return;
      }
      const refusal = toRefusal(fault);
      const exchange = latest.get(socket);
      if (exchange === undefined || exchange.response.closed) {
        const requestId = randomUUID();
        logUnreadable(log, { requestId, status: refusal.status, remote: remoteOf(socket) });
        writeRefusal(socket, refusal, requestId);
        const timer = setTimeout(() => socket.destroy(), HTTP_LIMITS.lingerTime);
        socket.once("close", () => clearTimeout(timer));
      } else if (exchange.request.complete) {
        // What is unreadable came behind a good request, which still gets its answer.
        exchange.response.shouldKeepAlive = false;
        exchange.response.once("close", () => socket.end());
      } else {
        sendAnswer(
          exchange.request,
          exchange.response,
          toErrorAnswer(refusal, errorFormOf(exchange)),
        );
      }
    },
  };
}

async function answerEndpoint(exchange: Exchange, endpoint: Endpoint): Promise<void> {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    throw methodNotAllowed(["GET", "HEAD"]);
  }
  sendAnswer(exchange.request, exchange.response, await endpoint());
}

function checkExpectation({ request }: Exchange): void {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") throw expectationFailed();
}

function remoteOf(socket: Duplex): string | undefined {
  return "remoteAddress" in socket ? String(socket.remoteAddress) : undefined;
}
