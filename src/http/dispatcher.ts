import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { isUnforeseen } from "../interceptors/errors.ts";
import { logAccess } from "./access-log.ts";
import type { ConnectFace } from "./connect-face.ts";
import { toErrorAnswer } from "./errors.ts";
import { type Answer, beginExchange, type Exchange } from "./exchange.ts";
import { checkRequest } from "./guard.ts";
import type { RequestListener } from "./listener.ts";
import { methodNotAllowed, unknownPath } from "./refusal.ts";
import type { RestFace } from "./rest-face.ts";
import { sendAnswer } from "./send.ts";

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

  async function dispatch(exchange: Exchange): Promise<void> {
    checkRequest(exchange);
    const endpoint = endpoints.get(exchange.path);
    if (endpoint !== undefined) return answerEndpoint(exchange, endpoint);
    if (connect.has(exchange.path)) return connect.handle(exchange);
    if (rest !== undefined && !isProcedure(exchange.path)) return rest(exchange);
    throw unknownPath();
  }

  return (request, response) => {
    const exchange = beginExchange(request, response, randomUUID, clock());
    if (isClosing() && request.stream === undefined) response.shouldKeepAlive = false;
    logAccess(log, exchange);
    request.on("error", () => {});
    dispatch(exchange).catch((cause: unknown) => {
      if (isUnforeseen(cause)) {
        log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
      }
      const form = isProcedure(exchange.path) ? "connect" : "status";
      sendAnswer(request, response, toErrorAnswer(cause, form));
    });
  };
}

async function answerEndpoint(exchange: Exchange, endpoint: Endpoint): Promise<void> {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    throw methodNotAllowed(["GET", "HEAD"]);
  }
  sendAnswer(exchange.request, exchange.response, await endpoint());
}

/** Tells whether a path has the form `/package.Service/Method`. */
function isProcedure(path: string): boolean {
  return /^\/(?:svc|grpc)\.[^/]*\/[^/]*$/.test(path);
}
