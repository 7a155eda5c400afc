import type { Logger } from "pino";
import { abortCall, isUnforeseen } from "../api/steps/errors.ts";
import { Code } from "../domain/errors.ts";
import type { FindClient } from "../network/client.ts";
import { type AnswerCache, findKey } from "./answer-cache.ts";
import { logRequest } from "./listener/access-log.ts";
import { toConditionalAnswer } from "./listener/conditional-get.ts";
import { Connections } from "./listener/connections.ts";
import {
  type Answer,
  type Cors,
  type Endpoint,
  Exchange,
  isProcedure,
  type NodeRequest,
  type NodeResponse,
  type RequestListener,
} from "./listener/exchange.ts";
import type { RateLimits } from "./listener/rate-limits.ts";
import {
  deadlinePassed,
  expectationFailed,
  methodNotAllowed,
  type Refusal,
  unknownPath,
  unknownProcedure,
} from "./listener/refusal.ts";
import { readArrivedBody } from "./listener/request-body.ts";
import { findRefusal } from "./listener/request-limits.ts";
import type { RequestLoad } from "./listener/request-load.ts";
import {
  type Face,
  type RequestMetrics,
  RequestOutcome,
  UNKNOWN_METHOD,
} from "./listener/request-metrics.ts";
import type { RequestTracer } from "./listener/request-tracer.ts";
import { sendAnswer } from "./listener/send.ts";
import type { UnreadAnswers } from "./listener/unread-answers.ts";
import { createFaultHandler } from "./listener/unreadable.ts";

/** A call that a request makes. */
export interface Procedure {
  /** True if everybody with the same credential may get the same response. Default: false. */
  readonly isCacheable?: boolean;
  /** The time that the caller waits, in milliseconds; absent or 0: any. */
  readonly timeoutMs?: number | undefined;
  /** Returns the response; undefined if it was sent as it was made. Cancelled when the signal is aborted. */
  answer(signal: AbortSignal): Promise<Answer | undefined>;
}

/** Answers the paths of the form `/package.Service/Method`. */
export interface ProcedureFace {
  /** Returns the call that a request makes; undefined for an unknown procedure. */
  find(exchange: Exchange): Procedure | undefined;
  /** Returns the response to an error in the form that the caller expects. */
  toErrorAnswer(cause: unknown, exchange: Exchange): Answer;
  /** Returns the protocol of a request. */
  protocolOf(request: NodeRequest): Face;
}

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
  readonly connect: ProcedureFace;
  /** Answers all other paths. Absent on a listener for delivery only. */
  readonly rest?: (exchange: Exchange) => Promise<Answer>;
  /** Returns the response to an error on a path that is no procedure. */
  readonly toErrorAnswer: (cause: unknown) => Answer;
  /** Absent: nothing is cached. */
  readonly cache?: AnswerCache | undefined;
  /** Absent: requests are not limited by their rate. */
  readonly rateLimits?: RateLimits | undefined;
  /** Limits the requests in progress, which all listeners share. */
  readonly load: Pick<RequestLoad, "enter">;
  /** Sends the responses of all listeners. */
  readonly unread: UnreadAnswers;
  /** Counts the requests of all listeners. */
  readonly requests: RequestMetrics;
  /** Absent: requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
  /** Reports whether the server is draining or closing, so that no connection is kept alive. */
  readonly isClosing: () => boolean;
}

/** Answers the requests of a listener: limits first, then the cache, then the face of the path, or 404. */
export class Dispatcher implements RequestListener {
  readonly #options: DispatcherOptions;
  readonly #connections: Connections;
  readonly #isLogged: boolean;
  /** Answers an HTTP/1 connection whose data cannot be read. */
  readonly onUnreadable: RequestListener["onUnreadable"];

  constructor(options: DispatcherOptions) {
    const { log, findClient } = options;
    this.#options = options;
    this.#connections = new Connections(findClient);
    this.#isLogged = log.isLevelEnabled("info");
    this.onUnreadable = createFaultHandler({
      log,
      findLatest: (socket) => this.#connections.findLatest(socket),
      toErrorAnswer: (cause, exchange) => this.#toErrorAnswer(cause, exchange),
    });
  }

  /** Answers a request, logs it and counts it. */
  onRequest(request: NodeRequest, response: NodeResponse): void {
    const { clock, cors, unread, requests, rateLimits, endpoints, tracer, isClosing } =
      this.#options;
    const start = performance.now();
    const client = this.#connections.findClient(request);
    const outcome = new RequestOutcome(requests);
    const exchange = new Exchange(request, response, {
      now: clock(),
      client,
      cors,
      unread,
      outcome,
    });
    // Those of the endpoints are not counted, because they are no calls.
    const isCounted = rateLimits !== undefined && !endpoints.has(exchange.path);
    const rate = isCounted ? rateLimits.take(request, client) : undefined;
    exchange.rateHeaders = rate?.headers;
    if (request.stream === undefined) {
      this.#connections.setLatest(exchange);
      if (isClosing()) response.shouldKeepAlive = false;
    }
    request.on("error", ignore);
    response.on("error", ignore);
    response.once("close", () => this.#close(exchange, performance.now() - start));
    const answer = () => void this.#answer(exchange, rate?.refusal);
    if (tracer === undefined) answer();
    else tracer.trace(exchange, answer);
  }

  /** Sends the response to a request, or to its error. */
  async #answer(exchange: Exchange, rateRefusal: Refusal | undefined): Promise<void> {
    const { log } = this.#options;
    try {
      const answer = await this.#dispatch(exchange, rateRefusal ?? findRefusal(exchange.request));
      if (answer !== undefined) sendAnswer(exchange, toConditionalAnswer(exchange, answer));
    } catch (cause) {
      if (isUnforeseen(cause) && !exchange.response.destroyed) {
        log.error({ err: cause, request_id: exchange.requestId }, "dispatch failed");
      }
      try {
        sendAnswer(exchange, this.#toErrorAnswer(cause, exchange));
      } catch (unsent) {
        log.error({ err: unsent, request_id: exchange.requestId }, "error response not sent");
        exchange.response.destroy();
      }
    }
  }

  async #dispatch(exchange: Exchange, refusal: Refusal | undefined): Promise<Answer | undefined> {
    const { endpoints, receivers, connect, rest, load } = this.#options;
    const { path, outcome } = exchange;
    if (refusal !== undefined) throw refusal;
    checkExpectation(exchange);
    const endpoint = endpoints.get(path);
    if (endpoint !== undefined) {
      outcome.setMethod("endpoint", path);
      return answerEndpoint(exchange, endpoint, ["GET", "HEAD"]);
    }
    const procedure = connect.find(exchange);
    if (procedure !== undefined) return this.#callProcedure(exchange, procedure);
    load.enter(exchange);
    const receiver = receivers?.get(parentOf(path));
    if (receiver !== undefined) {
      outcome.setMethod("endpoint", parentOf(path));
      return answerEndpoint(exchange, receiver, ["POST"]);
    }
    if (isProcedure(path)) throw unknownProcedure();
    if (rest !== undefined) return rest(exchange);
    throw unknownPath();
  }

  /** Calls a procedure, or finds its response in the cache, within the time that the caller waits. */
  async #callProcedure(exchange: Exchange, procedure: Procedure): Promise<Answer | undefined> {
    const { cache, load, isClosing } = this.#options;
    const mayBeCached = cache !== undefined && procedure.isCacheable === true && !isClosing();
    if (mayBeCached && exchange.method === "POST") await readArrivedBody(exchange);
    const key = mayBeCached ? findKey(exchange) : undefined;
    const cached = key && cache?.find(key, exchange);
    if (cached) return cached;
    load.enter(exchange);
    const { response } = exchange;
    const waiting = new AbortController();
    const leave = () => abortCall(waiting);
    if (response.closed) leave();
    response.once("close", leave);
    try {
      const call = (signal: AbortSignal) => procedure.answer(signal);
      const answering =
        key && cache
          ? cache.share(key, exchange, waiting.signal, call)
          : procedure.answer(waiting.signal);
      const answer = await withinTime(procedure.timeoutMs, answering);
      response.off("close", leave);
      return answer;
    } catch (cause) {
      // After its timeout the caller no longer waits.
      leave();
      throw cause;
    }
  }

  #toErrorAnswer(cause: unknown, exchange: Exchange | undefined): Answer {
    const { connect, toErrorAnswer } = this.#options;
    return exchange !== undefined && isProcedure(exchange.path)
      ? connect.toErrorAnswer(cause, exchange)
      : toErrorAnswer(cause);
  }

  /** Logs and counts a request at its end; one whose client has gone before that as cancelled. */
  #close(exchange: Exchange, duration: number): void {
    const { log, requests, connect } = this.#options;
    const { outcome, path, request, response } = exchange;
    if (this.#isLogged) logRequest(log, exchange, duration);
    if (outcome.series === undefined) {
      const face = isProcedure(path) ? connect.protocolOf(request) : "rest";
      outcome.series = requests.seriesOf(face, UNKNOWN_METHOD);
    }
    const code = response.writableFinished ? outcome.code : outcome.code || Code.CANCELLED;
    outcome.series.add(code, duration);
  }
}

/** Ignores a client that disconnects, which is not an error of the server. */
function ignore(): void {}

async function answerEndpoint(
  exchange: Exchange,
  endpoint: Endpoint,
  methods: readonly string[],
): Promise<Answer> {
  if (!methods.includes(exchange.method)) throw methodNotAllowed(methods);
  return endpoint(exchange);
}

/** Returns the path up to its last slash; empty if nothing follows that. */
function parentOf(path: string): string {
  return path.endsWith("/") ? "" : path.slice(0, path.lastIndexOf("/") + 1);
}

function checkExpectation({ request }: Exchange): void {
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") throw expectationFailed();
}

/** Waits for a result for at most a time in milliseconds; throws `DEADLINE_PASSED` afterwards. */
async function withinTime<T>(time: number | undefined, result: Promise<T>): Promise<T> {
  // A time of 0 is checked with the credentials, before any work.
  if (time === undefined || time === 0) return result;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(deadlinePassed()), time);
  });
  try {
    return await Promise.race([result, end]);
  } finally {
    clearTimeout(timer);
  }
}
