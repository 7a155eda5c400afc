import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { isUnforeseen } from "../../call/errors.ts";
import type { FindClient, Sender } from "../../network/client.ts";
import { parseAddress } from "../../network/ip-address.ts";
import type { ReadyAnswer } from "../cache/hot-index.ts";
import type { ConnectFace } from "../connect/connect-face.ts";
import type { RestFace } from "../rest/rest-face.ts";
import { logAccess, logUnreadable } from "./access-log.ts";
import { allowOrigins } from "./cors.ts";
import { errorFormOf, isProcedure, toErrorAnswer } from "./errors.ts";
import {
  type Answer,
  beginExchange,
  type Exchange,
  type Handled,
  type NodeRequest,
  type NodeResponse,
  readRequestId,
  splitUrl,
} from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import type { RequestListener } from "./listener.ts";
import { expectationFailed, methodNotAllowed, unknownPath, unknownProcedure } from "./refusal.ts";
import { findRefusal } from "./request-limits.ts";
import { sendAnswer, sendReady } from "./send.ts";
import { toRefusal, writeRefusal } from "./unreadable.ts";

/** Answers a request for a path of the service itself, such as `/healthz`. */
export type Endpoint = (exchange: Exchange) => Answer | Promise<Answer>;

/** What one listener answers. */
export interface DispatcherOptions {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly findClient: FindClient;
  /** What answers a GET, by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** What takes a POST to whatever lies directly below a path with a slash at its end. Default: nothing. */
  readonly receivers?: ReadonlyMap<string, Endpoint>;
  readonly connect: ConnectFace;
  /** Absent on a listener that is for delivery only. */
  readonly rest?: RestFace;
  /** Tells whether the server is closing: then no connection is kept for another request. */
  readonly isClosing: () => boolean;
}

/** Creates what a listener does with a request: guard, then the face that has the path, or 404. */
export function createDispatcher(options: DispatcherOptions): RequestListener {
  const { log, clock, endpoints, receivers, connect, rest, isClosing } = options;
  const findClient = (request: NodeRequest) => options.findClient(readSender(request));
  /** The last request of each HTTP/1 connection. */
  const latest = new WeakMap<Duplex, Handled>();
  const refused = new WeakSet<Duplex>();

  async function dispatch(exchange: Exchange): Promise<void> {
    if (isProcedure(exchange.path)) allowOrigins(exchange);
    const refusal = findRefusal(exchange.request);
    if (refusal !== undefined) throw refusal;
    checkExpectation(exchange);
    const endpoint = endpoints.get(exchange.path);
    if (endpoint !== undefined) return answerEndpoint(exchange, endpoint, ["GET", "HEAD"]);
    if (connect.has(exchange.path)) return connect.handle(exchange);
    const receiver = receivers?.get(parentOf(exchange.path));
    if (receiver !== undefined) return answerEndpoint(exchange, receiver, ["POST"]);
    if (isProcedure(exchange.path)) throw unknownProcedure();
    if (rest !== undefined) return rest(exchange);
    throw unknownPath();
  }

  function answerReady(request: NodeRequest, response: NodeResponse, ready: ReadyAnswer): void {
    const requestId = readRequestId(request, randomUUID);
    const { path } = splitUrl(request);
    const client = findClient(request);
    const handled = { request, response, method: "GET", path, requestId, client };
    logAccess(log, handled);
    response.on("error", ignore);
    if (!sendReady(request, response, ready)) latest.set(request.socket, handled);
  }

  return {
    onRequest(request, response) {
      const ready = isClosing() ? undefined : connect.findReady(request, clock);
      if (ready !== undefined) {
        answerReady(request, response, ready);
        return;
      }
      const exchange = beginExchange(request, response, randomUUID, {
        now: clock(),
        client: findClient(request),
      });
      if (request.stream === undefined) {
        latest.set(request.socket, exchange);
        if (isClosing()) response.shouldKeepAlive = false;
      }
      logAccess(log, exchange);
      request.on("error", ignore);
      response.on("error", ignore);
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

/** A client that goes away is no fault of ours. */
function ignore(): void {}

async function answerEndpoint(
  exchange: Exchange,
  endpoint: Endpoint,
  methods: readonly string[],
): Promise<void> {
  if (!methods.includes(exchange.method)) throw methodNotAllowed(methods);
  sendAnswer(exchange.request, exchange.response, await endpoint(exchange));
}

/** The path up to its last slash; empty if nothing is behind that. */
function parentOf(path: string): string {
  return path.endsWith("/") ? "" : path.slice(0, path.lastIndexOf("/") + 1);
}

function checkExpectation({ request }: Exchange): void {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") throw expectationFailed();
}

function readSender({ socket, headers }: NodeRequest): Sender {
  const forwardedFor = headers["x-forwarded-for"];
  // An HTTP/2 stream that is over has no connection any more.
  return {
    peer: socket.remoteAddress,
    forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join() : forwardedFor,
  };
}

function remoteOf(socket: Duplex): string | undefined {
  return "remoteAddress" in socket ? parseAddress(String(socket.remoteAddress)) : undefined;
}
