import type { ServerHttp2Stream } from "node:http2";
import { Code } from "../../domain/errors.ts";
import type { Client } from "../../network/client.ts";
import type { HotAnswer, HotIndex } from "../cache/hot-index.ts";
import type { AccessLog, Logged } from "./access-log.ts";
import type { ConnectionClients } from "./connection-clients.ts";
import { CORS_HEADERS } from "./cors.ts";
import {
  type Exchange,
  type Handled,
  type NodeRequest,
  type NodeResponse,
  readRequestId,
  type StreamHead,
  splitUrl,
} from "./exchange.ts";
import type { RateState } from "./rate-limits.ts";
import { type RawHeaders, writeReady } from "./ready-head.ts";
import { findRefusal } from "./request-limits.ts";
import type { RequestTracer } from "./request-tracer.ts";
import type { UnreadAnswers } from "./unread-answers.ts";

/**
 * Answers requests from the cache without anything that only a call needs: an exchange for a GET, Node's
 * compatibility layer for a stream of HTTP/2. What it does not answer goes the plain way, untouched.
 */
export interface HotAnswers {
  /** Answers a GET over HTTP/1.1, of a client if that is known; reports whether it did. */
  answerGet(request: NodeRequest, response: NodeResponse, client: Client | undefined): boolean;
  /** Reports whether `answerPost` or `answerStream` may answer a POST once its body has arrived. */
  awaitsBody(head: NodeRequest | StreamHead): boolean;
  /** Answers a POST over HTTP/1.1 whose body arrived with its headers, an immediate later; reports whether it did. */
  answerPost(exchange: Exchange): boolean;
  /** Answers a stream, one with a body an immediate later; reports whether it did. */
  answerStream(stream: ServerHttp2Stream, head: StreamHead): boolean;
}

/** The dependencies of hot answers. */
export interface HotAnswerOptions {
  readonly index: HotIndex;
  readonly clock: () => Date;
  readonly clients: ConnectionClients;
  readonly accessLog: AccessLog;
  readonly unread: UnreadAnswers;
  /** Counts a request against the rate limits; undefined if it is not limited. */
  readonly countRate: (stream: ServerHttp2Stream, head: StreamHead) => RateState | undefined;
  readonly isClosing: () => boolean;
  /** Absent: requests are not traced. */
  readonly tracer?: RequestTracer | undefined;
  /** Called with a request over HTTP/1.1 whose answer has not left this process yet. */
  readonly onUnsent: (handled: Handled) => void;
}

/** Creates the hot answers of a listener. */
export function createHotAnswers(options: HotAnswerOptions): HotAnswers {
  const { index, clock, clients, accessLog, unread, countRate, isClosing, onUnsent, tracer } =
    options;

  function find(head: NodeRequest | StreamHead, body?: Buffer): HotAnswer | undefined {
    if (isClosing()) return undefined;
    const hot = index.find(head, body, clock);
    return hot === undefined || findRefusal(head) !== undefined ? undefined : hot;
  }

  /** Counts a request when its answer is handed to the connection, whose client may be slow to read it. */
  function count(head: NodeRequest | StreamHead, hot: HotAnswer, start: number): void {
    hot.series.add(Code.OK, performance.now() - start);
    tracer?.record(head, hot.series, hot.head.status, start);
  }

  function toLogged(stream: ServerHttp2Stream, head: StreamHead): Logged {
    return {
      request: head,
      method: head.method ?? "",
      path: splitUrl(head).path,
      requestId: readRequestId(head),
      client: clients.ofStream(stream, head.headers),
    };
  }

  return {
    answerGet(request, response, client) {
      const start = performance.now();
      const hot = request.httpVersion === "1.1" ? find(request) : undefined;
      if (hot === undefined) return false;
      response.on("error", ignore);
      const isSent = send(unread, request, response, hot, NO_HEADERS);
      count(request, hot, start);
      if (isSent && !accessLog.isOn) return true;
      const handled: Handled = {
        request,
        response,
        method: "GET",
        path: splitUrl(request).path,
        requestId: readRequestId(request),
        client: client ?? clients.ofRequest(request),
        // Only delivery has hot answers.
        corsHeaders: CORS_HEADERS,
        unread,
      };
      if (isSent) {
        accessLog.logSent(handled, start, hot.head.status);
      } else {
        onUnsent(handled);
        accessLog.logAtClose(handled, start);
      }
      return true;
    },

    awaitsBody: (head) => index.awaitsBody(head),

    answerPost(exchange) {
      const start = performance.now();
      const { request, response } = exchange;
      const body = request.httpVersion === "1.1" ? takeArrivedBody(request) : undefined;
      const hot = body && find(request, body);
      // HTTP/1.1 sends trailers only with chunked encoding.
      if (hot === undefined || hot.trailers !== undefined) {
        if (body !== undefined) giveBackBody(request, body);
        return false;
      }
      const more = toRequestHeaders(exchange.requestId, exchange.rateHeaders);
      const isSent = send(unread, request, response, hot, more);
      count(request, hot, start);
      if (isSent) accessLog.logSent(exchange, start, hot.head.status);
      else accessLog.logAtClose(exchange, start);
      return true;
    },

    answerStream(stream, head) {
      const start = performance.now();
      if (stream.closed) {
        accessLog.logGone(toLogged(stream, head), start);
        return true;
      }
      const body = stream.endAfterHeaders ? undefined : takeArrivedBody(stream);
      const hot = stream.endAfterHeaders || body !== undefined ? find(head, body) : undefined;
      const rate = hot && countRate(stream, head);
      if (hot === undefined || rate?.refusal !== undefined) {
        if (body !== undefined) giveBackBody(stream, body);
        return false;
      }
      const logged = toLogged(stream, head);
      stream.on("error", ignore);
      // A GET is answered from the cache only as shared caches may store it.
      const isShared = body === undefined;
      sendOnStream(
        unread,
        stream,
        head,
        hot,
        isShared ? NO_HEADERS : toRequestHeaders(logged.requestId, rate?.headers),
      );
      count(head, hot, start);
      accessLog.logStreamAtClose(logged, start, hot.head.status, stream);
      return true;
    },
  };
}

/** Ignores a client that disconnects, which is not an error of the server. */
function ignore(): void {}

const NO_HEADERS: RawHeaders = [];

/** Returns the headers of an answer that no shared cache stores. */
function toRequestHeaders(requestId: string, rateHeaders: RateState["headers"] = {}): RawHeaders {
  return ["x-request-id", requestId, ...Object.entries(rateHeaders).flat()];
}

/** Sends an answer over HTTP/1.1, and reports whether it has left this process. */
function send(
  unread: UnreadAnswers,
  request: NodeRequest,
  response: NodeResponse,
  { head, body }: HotAnswer,
  more: RawHeaders,
): boolean {
  writeReady(response, head, more);
  return unread.end(response, body, request, request.socket);
}

function sendOnStream(
  unread: UnreadAnswers,
  stream: ServerHttp2Stream,
  request: StreamHead,
  { head, body, trailers = {} }: HotAnswer,
  more: RawHeaders,
): void {
  const headers = [":status", String(head.status), ...head.headers, ...more];
  if (body === undefined) {
    stream.respond(headers, { endStream: true });
  } else {
    // Also without trailers: a body that ends a stream may close it before it is known to be written.
    stream.respond(headers, { waitForTrailers: true });
    stream.once("wantTrailers", () => stream.sendTrailers(trailers));
    unread.end(stream, body, request, stream);
  }
}

/**
 * Takes the body of a request that has arrived as a whole; undefined if a part is still to come. What came with
 * the headers has been read by the next immediate.
 */
function takeArrivedBody(source: NodeRequest | ServerHttp2Stream): Buffer | undefined {
  const isComplete = "complete" in source ? source.complete : source.state.remoteClose === 1;
  return isComplete && !source.destroyed ? (source.read() ?? NOTHING) : undefined;
}

/** Gives back a body in the tick in which it was taken, to be read as if it had not been. */
function giveBackBody(source: NodeRequest | ServerHttp2Stream, body: Buffer): void {
  if (body.length > 0) source.unshift(body);
}

const NOTHING = Buffer.alloc(0);
