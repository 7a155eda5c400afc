import type { ServerHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { isUnforeseen } from "../../api/steps/errors.ts";
import { Code } from "../../domain/errors.ts";
import type { Client, FindClient } from "../../network/client.ts";
import type { ConnectFace } from "../connect/connect-face.ts";
import type { RestFace } from "../rest/rest-face.ts";
import { createAccessLog } from "./access-log.ts";
import { createConnectionClients } from "./connection-clients.ts";
import type { Cors } from "./cors.ts";
import { errorFormOf, isProcedure, protocolOf, toErrorAnswer } from "./errors.ts";
import {
  type Answer,
  beginExchange,
  type Exchange,
  type Handled,
  type NodeRequest,
  type RequestListener,
  splitUrl,
} from "./exchange.ts";
import { createHotAnswers } from "./hot-answers.ts";
import type { RateLimits, RateState } from "./rate-limits.ts";
import {
  expectationFailed,
  methodNotAllowed,
  type Refusal,
  unknownPath,
  unknownProcedure,
} from "./refusal.ts";
import { findRefusal } from "./request-limits.ts";
import type { RequestLoad } from "./request-load.ts";
import { type RequestMetrics, RequestOutcome, UNKNOWN_METHOD } from "./request-metrics.ts";
import type { RequestTracer } from "./request-tracer.ts";
import { sendAnswer } from "./send.ts";
import type { UnreadAnswers } from "./unread-answers.ts";
import { createFaultHandler } from "./unreadable.ts";

/** Answers a request for a fixed path of the service, such as `/healthz`. */
export type Endpoint = (exchange: Exchange) => Answer | Promise<Answer>;

/** The paths of one listener. */
export interface DispatcherOptions {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly findClient: FindClient;
  readonly cors: Cors;
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
  readonly load: Pick<RequestLoad, "enter">;
  /** Sends the answers of all listeners. */
  readonly unread: UnreadAnswers;
  /** Counts the requests of all listeners. */
  readonly requests: RequestMetrics;
  /** Absent: requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
  /** Reports whether the server is draining or closing, so that no connection is kept alive. */
  readonly isClosing: () => boolean;
}

/** Creates the dispatcher of a listener: request limits first, then the face of the path, or 404. */
export function createDispatcher(options: DispatcherOptions): RequestListener {
  const { log, clock, cors, endpoints, receivers, connect, rest } = options;
  const { rateLimits, load, unread, requests, tracer, isClosing } = options;
  const clients = createConnectionClients(options.findClient);
  const accessLog = createAccessLog(log);
  /** The last request of each HTTP/1 connection. */
  const latest = new WeakMap<Duplex, Handled>();
  /** The rates of streams that were counted, and then passed on. */
  const counted = new WeakMap<ServerHttp2Stream, RateState>();
  const hotAnswers =
    connect.hotIndex &&
    createHotAnswers({
      ...{ index: connect.hotIndex, clock, clients, accessLog, isClosing, tracer, unread },
      countRate(stream, head) {
        const rate = rateLimits?.take(head, clients.ofStream(stream, head.headers));
        if (rate?.refusal !== undefined) counted.set(stream, rate);
        return rate;
      },
      onUnsent: (handled) => latest.set(handled.request.socket, handled),
    });

  async function dispatch(exchange: Exchange, refusal: Refusal | undefined): Promise<void> {
    const { path } = exchange;
    if (refusal !== undefined) throw refusal;
    checkExpectation(exchange);
    const endpoint = endpoints.get(path);
    if (endpoint !== undefined) {
      exchange.outcome.setMethod("endpoint", path);
      return answerEndpoint(exchange, endpoint, ["GET", "HEAD"]);
    }
    load.enter(exchange);
    const call = connect.find(path);
    if (call !== undefined) return call(exchange);
    const receiver = receivers?.get(parentOf(path));
    if (receiver !== undefined) {
      exchange.outcome.setMethod("endpoint", parentOf(path));
      return answerEndpoint(exchange, receiver, ["POST"]);
    }
    if (isProcedure(path)) throw unknownProcedure();
    if (rest !== undefined) return rest(exchange);
    throw unknownPath();
  }

  function answer(exchange: Exchange, rateRefusal: Refusal | undefined): void {
    const start = performance.now();
    accessLog.logAtClose(exchange, start);
    exchange.response.once("close", () => count(exchange, start));
    const handle = () => begin(exchange, rateRefusal);
    if (tracer === undefined) handle();
    else tracer.trace(exchange, handle);
  }

  function begin(exchange: Exchange, rateRefusal: Refusal | undefined): void {
    dispatch(exchange, rateRefusal ?? findRefusal(exchange.request))
      .catch((cause: unknown) => {
        if (isUnforeseen(cause) && !exchange.response.destroyed) {
          log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
        }
        sendAnswer(exchange, toErrorAnswer(cause, errorFormOf(exchange)));
      })
      .catch((cause: unknown) => {
        log.error({ err: cause, request_id: exchange.requestId }, "error response not sent");
        exchange.response.destroy();
      });
  }

  /** Answers from memory and reports whether it did. A failure must not leave the event of the connection. */
  function tryHot(answerHot: () => boolean): boolean {
    try {
      return answerHot();
    } catch (cause) {
      log.error({ err: cause }, "cached response failed unexpectedly");
      return false;
    }
  }

  /** Counts a request at its end; one whose client has gone before that as cancelled. */
  function count({ outcome, path, request, response }: Exchange, start: number): void {
    const series =
      outcome.series ??
      requests.seriesOf(isProcedure(path) ? protocolOf(request) : "rest", UNKNOWN_METHOD);
    const code = response.writableFinished ? outcome.code : outcome.code || Code.CANCELLED;
    series.add(code, performance.now() - start);
  }

  /** Counts a request against the rate limits; those of the endpoints are not counted, as they are no calls. */
  function countRate(limits: RateLimits, request: NodeRequest, client: Client) {
    const known = request.stream && counted.get(request.stream);
    if (known !== undefined || endpoints.has(splitUrl(request).path)) return known;
    return limits.take(request, client);
  }

  return {
    onRequest(request, response) {
      const isHttp1 = request.stream === undefined;
      // A hot answer without limits and log needs no client.
      const client = rateLimits && clients.ofRequest(request);
      const rate = rateLimits && client && countRate(rateLimits, request, client);
      const mayBeHot = isHttp1 && hotAnswers !== undefined && rate?.refusal === undefined;
      if (mayBeHot && tryHot(() => hotAnswers.answerGet(request, response, client))) return;
      const exchange = beginExchange(request, response, {
        now: clock(),
        client: client ?? clients.ofRequest(request),
        cors,
        rateHeaders: rate?.headers,
        unread,
        outcome: new RequestOutcome(requests),
      });
      if (isHttp1) {
        latest.set(request.socket, exchange);
        if (isClosing()) response.shouldKeepAlive = false;
      }
      request.on("error", ignore);
      response.on("error", ignore);
      if (mayBeHot && hotAnswers.awaitsBody(request)) {
        setImmediate(() => {
          if (!tryHot(() => hotAnswers.answerPost(exchange))) answer(exchange, rate?.refusal);
        });
      } else {
        answer(exchange, rate?.refusal);
      }
    },

    onStream(stream, head, pass) {
      const attempt = () => {
        if (!tryHot(() => hotAnswers?.answerStream(stream, head) === true)) pass();
      };
      if (stream.endAfterHeaders) attempt();
      else if (hotAnswers?.awaitsBody(head)) setImmediate(attempt);
      else pass();
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
