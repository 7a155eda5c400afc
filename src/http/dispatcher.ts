import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { isUnforeseen } from "../api/steps/errors.ts";
import { Code } from "../domain/base/errors.ts";
import type { ConnectInterface } from "./connect/connect-interface.ts";
import { errorFormOf, protocolOf, toErrorResponse } from "./connect/errors.ts";
import { expectsPage, START_PATH } from "./endpoints/start-page.ts";
import { isPreflight } from "./listener/cors.ts";
import {
  type Endpoint,
  Exchange,
  type ExchangeOptions,
  type HttpResponse,
  isProcedure,
  type NodeRequest,
  type NodeResponse,
  type Procedure,
  type Receiver,
} from "./listener/exchange.ts";
import type { ParseError, RequestListener } from "./listener/listener.ts";
import { handleParseError } from "./listener/parse-error-handler.ts";
import type { RateLimits } from "./listener/rate-limits.ts";
import { httpError, type Rejection } from "./listener/rejection.ts";
import { readArrivedBody } from "./listener/request-body.ts";
import { findRejection, toOriginForm } from "./listener/request-limits.ts";
import { UNKNOWN_METHOD } from "./listener/request-metrics.ts";
import { sendResponse } from "./listener/send.ts";
import { readWait, type WaitRequest, waitNotSupported } from "./listener/wait-request.ts";
import { findKey, type ResponseCache } from "./response-cache.ts";
import { toStatusResponse } from "./rest/status.ts";
import type { Waits } from "./waits.ts";

/** Traces the requests of a listener. */
export interface RequestTracer {
  /**
   * Runs the handling of a request within its span, which continues the trace of its headers and ends with the
   * response; the headers then name this span.
   */
  trace(exchange: Exchange, handle: () => void): void;
}

/** The paths of one listener. */
export interface DispatcherOptions extends ExchangeOptions {
  readonly log: Logger;
  /** Endpoints that serve a GET, by path. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** By path. Default: none. */
  readonly receivers?: ReadonlyMap<string, Receiver>;
  readonly connect: Pick<ConnectInterface, "cacheablePaths" | "find" | "suggest">;
  /** Serves all other paths. Absent on a listener for delivery only. */
  readonly rest?: { call(exchange: Exchange): Promise<HttpResponse> };
  /** The API of a listener that serves one, for the errors of unknown paths; absent: it serves both. */
  readonly only?: "Studio API" | "Delivery API";
  /** Absent: nothing is cached. */
  readonly cache?: ResponseCache | undefined;
  /** Absent: requests are not limited by their rate. */
  readonly rateLimits?: RateLimits | undefined;
  /** Absent: no read waits. */
  readonly waits?: Pick<Waits, "respond"> | undefined;
  /** Absent: requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
}

/** Serves the requests of a listener: limits first, then the cache, then the interface of the path, or 404. */
export class Dispatcher implements RequestListener {
  keepsAlive = true;
  readonly #options: DispatcherOptions;
  readonly #isLogged: boolean;
  /** The last requests of HTTP/1 connections. */
  readonly #latest = new WeakMap<Duplex, Exchange>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#isLogged = options.log.isLevelEnabled("info");
  }

  /** Responds to an HTTP/1 connection whose data cannot be read. */
  onUnreadable(error: ParseError, socket: Duplex): void {
    handleParseError(error, socket, this.#latest.get(socket), this.#options.log, toResponse);
  }

  /** Responds to a request, logs it and counts it. */
  onRequest(request: NodeRequest, response: NodeResponse): void {
    const { rateLimits, tracer } = this.#options;
    if (!request.url?.startsWith("/")) toOriginForm(request);
    const exchange = new Exchange(request, response, this.#options);
    const endpoint = this.#findEndpoint(exchange);
    // Requests for endpoints are not calls. A browser hides the error of a preflight from its page.
    const isCall = endpoint === undefined && !isPreflight(exchange);
    const rejection = isCall ? rateLimits?.take(exchange) : undefined;
    if (request.stream === undefined) {
      this.#latest.set(request.socket, exchange);
      if (!this.keepsAlive) response.shouldKeepAlive = false;
    }
    request.on("error", ignore);
    response.on("error", ignore);
    response.once("close", () => this.#close(exchange));
    if (tracer === undefined) void this.#respond(exchange, endpoint, rejection);
    else tracer.trace(exchange, () => void this.#respond(exchange, endpoint, rejection));
  }

  async #respond(
    exchange: Exchange,
    endpoint: Endpoint | undefined,
    rateRejection: Rejection | undefined,
  ): Promise<void> {
    const { connect, log } = this.#options;
    try {
      const rejection = rateRejection ?? findRejection(exchange.request);
      if (rejection !== undefined) throw rejection;
      checkExpectation(exchange);
      const isPublicRead = connect.cacheablePaths.has(exchange.path);
      const cache = isPublicRead ? this.#options.cache : undefined;
      if (cache !== undefined && exchange.method === "POST") await readArrivedBody(exchange);
      const key = cache && findKey(exchange);
      const cached = key && cache?.find(key, exchange);
      const dispatch = () => this.#dispatch(exchange, endpoint, key);
      const response = cached || (await dispatch().finally(() => exchange.load.leave(exchange)));
      if (response !== undefined) sendResponse(exchange, response);
    } catch (cause) {
      if (isUnforeseen(cause) && !exchange.response.destroyed) {
        log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
      }
      try {
        sendResponse(exchange, toResponse(cause, exchange));
      } catch (unsent) {
        log.error({ err: unsent, request_id: exchange.requestId }, "error response not sent");
        exchange.response.destroy();
      }
    }
  }

  /** Finds the interface of a path, and calls it; once for all requests with a key. */
  async #dispatch(
    exchange: Exchange,
    endpoint: Endpoint | undefined,
    key: string | undefined,
  ): Promise<HttpResponse | undefined> {
    const { receivers, connect, rest, only, waits } = this.#options;
    const { path } = exchange;
    if (endpoint !== undefined) {
      exchange.setMethod("endpoint", path);
      return callEndpoint(exchange, endpoint, ["GET", "HEAD"]);
    }
    if (!isPreflight(exchange)) {
      const wait = waits && readWait(exchange, connect.cacheablePaths.has(path));
      if (waits && wait) return this.#wait(exchange, waits, wait);
      exchange.load.enter(exchange);
    }
    if (isProcedure(path)) {
      const procedure = connect.find(exchange);
      if (procedure === undefined)
        throw httpError.unknownProcedure(path, connect.suggest(path), only);
      return this.#call(exchange, procedure, key);
    }
    const place = receivers?.has(path) ? path : path.slice(0, path.lastIndexOf("/") + 1);
    const receiver = path.endsWith("/") ? undefined : receivers?.get(place);
    if (receiver !== undefined) {
      exchange.setMethod("endpoint", place);
      return callEndpoint(exchange, receiver.receive, [receiver.method]);
    }
    if (rest !== undefined) return rest.call(exchange);
    throw httpError.unknownPath(exchange, undefined, only);
  }

  /** Calls a public read, and again while its response has the state that the caller knows. */
  async #wait(
    exchange: Exchange,
    waits: Pick<Waits, "respond">,
    wait: WaitRequest,
  ): Promise<HttpResponse | undefined> {
    const { connect, cache } = this.#options;
    const procedure = connect.find(exchange);
    if (procedure?.timeoutMs === 0) {
      exchange.load.enter(exchange);
      return procedure.call(exchange.signal);
    }
    const key = findKey(exchange, wait.url);
    if (key === undefined) throw waitNotSupported();
    exchange.setMethod("connect", exchange.path.slice(1));
    // Each look has a time of its own.
    const again = () => new Exchange(exchange.request, exchange.response, this.#options);
    const response = waits.respond({
      ...{ exchange, key, wait },
      find: () => cache?.find(key, again()),
      call: async () => {
        const call = again();
        const looked = connect.find(call);
        return looked && this.#call(call, looked, key, exchange.signal);
      },
    });
    return endInTime(exchange, procedure?.timeoutMs, response);
  }

  /** Finds the endpoint of a path; only browsers get the start page. */
  #findEndpoint({ path, request }: Exchange): Endpoint | undefined {
    if (path === START_PATH && !expectsPage(request)) return undefined;
    return this.#options.endpoints.get(path);
  }

  /** Calls a procedure within the time that the caller waits, once for all requests with a key. */
  async #call(
    exchange: Exchange,
    procedure: Procedure,
    key: string | undefined,
    signal = exchange.signal,
  ): Promise<HttpResponse | undefined> {
    const { cache } = this.#options;
    const call = (abort: AbortSignal) => procedure.call(abort);
    const response =
      key === undefined || cache === undefined
        ? call(signal)
        : cache.share(key, exchange, signal, call);
    return endInTime(exchange, procedure.timeoutMs, response);
  }

  /** Logs and counts a request at its end; one whose client has gone before that as cancelled. */
  #close(exchange: Exchange): void {
    const { requests } = this.#options;
    const { path, request, response, code, start, streamStart, waited } = exchange;
    const now = performance.now();
    if (this.#isLogged) this.#log(exchange, now - start);
    const protocol = () => (isProcedure(path) ? protocolOf(request) : "rest");
    const series = exchange.series ?? requests.seriesOf(protocol(), UNKNOWN_METHOD);
    const worked = (streamStart ?? now) - start - waited;
    series.add(response.writableFinished ? code : code || Code.CANCELLED, worked);
  }

  /**
   * Logs a request whose response has closed, in one line without the query, which may be private. `duration` is in
   * milliseconds.
   */
  #log(exchange: Exchange, duration: number): void {
    const { request, response } = exchange;
    this.#options.log.info(
      {
        request_id: exchange.requestId,
        method: request.method,
        path: exchange.shownPath,
        status: response.headersSent ? response.statusCode : CLIENT_GONE,
        complete: response.headersSent && response.writableFinished,
        duration_ms: Math.round(duration * 1_000) / 1_000,
        http: request.httpVersion,
        remote: exchange.address,
      },
      "request",
    );
  }
}

/** Returns a response within the time that the caller waits. A time of 0 is checked with the credentials, before any work. */
async function endInTime<Response>(
  exchange: Exchange,
  timeoutMs: number | undefined,
  response: Promise<Response>,
): Promise<Response> {
  if (!timeoutMs) return response;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(httpError.deadlinePassed());
      // The caller no longer waits.
      exchange.cancel();
    }, timeoutMs);
  });
  return Promise.race([response, end]).finally(() => clearTimeout(timer));
}

/** The logged status of a request whose client disconnected before the response. */
const CLIENT_GONE = 499;

/** Ignores a client that disconnects, which is not an error of the server. */
function ignore(): void {}

/** Returns the response to an error in the form that the caller of a path expects. */
function toResponse(cause: unknown, exchange: Exchange | undefined): HttpResponse {
  return exchange !== undefined && isProcedure(exchange.path)
    ? toErrorResponse(cause, errorFormOf(exchange.request))
    : toStatusResponse(cause);
}

async function callEndpoint<Response>(
  exchange: Exchange,
  endpoint: (exchange: Exchange) => Response | Promise<Response>,
  methods: readonly string[],
): Promise<Response> {
  if (!methods.includes(exchange.request.method ?? "")) throw httpError.methodNotAllowed(methods);
  return endpoint(exchange);
}

function checkExpectation({ request }: Exchange): void {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue")
    throw httpError.expectationFailed();
}
