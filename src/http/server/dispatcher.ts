import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { isUnforeseen } from "../../call/errors.ts";
import type { Client, FindClient, Sender } from "../../network/client.ts";
import type { HotAnswer } from "../cache/hot-index.ts";
import type { ConnectFace } from "../connect/connect-face.ts";
import type { RestFace } from "../rest/rest-face.ts";
import { createAccessLog } from "./access-log.ts";
import { errorFormOf, isProcedure, toErrorAnswer } from "./errors.ts";
import {
  type Answer,
  beginExchange,
  type Exchange,
  type Handled,
  type NodeRequest,
  type NodeResponse,
  type RequestListener,
  readRequestId,
  splitUrl,
} from "./exchange.ts";
import type { RateLimits } from "./rate-limits.ts";
import {
  expectationFailed,
  methodNotAllowed,
  type Refusal,
  unknownPath,
  unknownProcedure,
} from "./refusal.ts";
import { findRefusal } from "./request-limits.ts";
import type { RequestLoad } from "./request-load.ts";
import { sendAnswer, sendHot } from "./send.ts";
import { createFaultHandler } from "./unreadable.ts";

/** Answers a request for a fixed path of the service, such as `/healthz`. */
export type Endpoint = (exchange: Exchange) => Answer | Promise<Answer>;

/** The paths of one listener. */
export interface DispatcherOptions {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly findClient: FindClient;
  /** Endpoints that answer a GET, by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Endpoints that take a POST to any path directly below one with a slash at its end. Default: none. */
  readonly receivers?: ReadonlyMap<string, Endpoint>;
  readonly connect: ConnectFace;
  /** Absent on a listener for delivery only. */
  readonly rest?: RestFace;
  /** Absent: requests are not limited by their rate. */
  readonly rateLimits?: RateLimits | undefined;
  /** Limits the requests in progress, which all listeners share. */
  readonly load: RequestLoad;
  /** Reports whether the server is draining or closing, so that no connection is kept alive. */
  readonly isClosing: () => boolean;
}

/** Creates the dispatcher of a listener: request limits first, then the face of the path, or 404. */
export function createDispatcher(options: DispatcherOptions): RequestListener {
  const { log, clock, endpoints, receivers, connect, rest, rateLimits, load, isClosing } = options;
  const findClient = (request: NodeRequest) => options.findClient(readSender(request));
  const accessLog = createAccessLog(log);
  /** The last request of each HTTP/1 connection. */
  const latest = new WeakMap<Duplex, Handled>();

  async function dispatch(exchange: Exchange, refusal: Refusal | undefined): Promise<void> {
    const { path } = exchange;
    if (refusal !== undefined) throw refusal;
    checkExpectation(exchange);
    const endpoint = endpoints.get(path);
    if (endpoint !== undefined) return answerEndpoint(exchange, endpoint, ["GET", "HEAD"]);
    const turn = load.enter(exchange);
    if (turn !== undefined) await turn;
    const call = connect.find(path);
    if (call !== undefined) return call(exchange);
    const receiver = receivers?.get(parentOf(path));
    if (receiver !== undefined) return answerEndpoint(exchange, receiver, ["POST"]);
    if (isProcedure(path)) throw unknownProcedure();
    if (rest !== undefined) return rest(exchange);
    throw unknownPath();
  }

  /** Counts a request against the rate limits; those of the endpoints are not counted, as they are no calls. */
  function countRate(limits: RateLimits, request: NodeRequest, client: Client) {
    return endpoints.has(splitUrl(request).path) ? undefined : limits.take(request, client);
  }

  function answerHot(
    request: NodeRequest,
    response: NodeResponse,
    hot: HotAnswer,
    client: Client | undefined,
  ): void {
    const start = performance.now();
    response.on("error", ignore);
    const isSent = sendHot(request, response, hot);
    if (isSent && !accessLog.isOn) return;
    const requestId = readRequestId(request, randomUUID);
    const { path } = splitUrl(request);
    const handled = {
      ...{ request, response, method: "GET", path, requestId },
      client: client ?? findClient(request),
    };
    if (isSent) {
      accessLog.logSent(handled, start);
    } else {
      latest.set(request.socket, handled);
      accessLog.logAtClose(handled, start);
    }
  }

  return {
    onRequest(request, response) {
      // A hot answer without limits and log needs no client.
      const client = rateLimits && findClient(request);
      const rate = rateLimits && client && countRate(rateLimits, request, client);
      const refusal = rate?.refusal ?? findRefusal(request);
      const hot =
        refusal === undefined && !isClosing() ? connect.findHot(request, clock) : undefined;
      if (hot !== undefined) {
        answerHot(request, response, hot, client);
        return;
      }
      const exchange = beginExchange(request, response, randomUUID, {
        now: clock(),
        client: client ?? findClient(request),
        rateHeaders: rate?.headers,
      });
      if (request.stream === undefined) {
        latest.set(request.socket, exchange);
        if (isClosing()) response.shouldKeepAlive = false;
      }
      accessLog.logAtClose(exchange, performance.now());
      request.on("error", ignore);
      response.on("error", ignore);
      dispatch(exchange, refusal).catch((cause: unknown) => {
        if (isUnforeseen(cause) && !response.destroyed) {
          log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
        }
        sendAnswer(exchange, toErrorAnswer(cause, errorFormOf(exchange)));
      });
    },

    onUnreadable: createFaultHandler(log, (socket) => latest.get(socket)),
  };
}

/** Ignores a client that disconnects, which is not an error of the server. */
function ignore(): void {}

async function answerEndpoint(
  exchange: Exchange,
  endpoint: Endpoint,
  methods: readonly string[],
): Promise<void> {
  if (!methods.includes(exchange.method)) throw methodNotAllowed(methods);
  sendAnswer(exchange, await endpoint(exchange));
}

/** Returns the path up to its last slash; empty if nothing follows that. */
function parentOf(path: string): string {
  return path.endsWith("/") ? "" : path.slice(0, path.lastIndexOf("/") + 1);
}

function checkExpectation({ request }: Exchange): void {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") throw expectationFailed();
}

function readSender({ socket, headers }: NodeRequest): Sender {
  const forwardedFor = headers["x-forwarded-for"];
  // A finished HTTP/2 stream no longer has a connection.
  return {
    peer: socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
  };
}
