import { matchesIfNoneMatch } from "../../domain/base/etag.ts";
import type { Exchange, HttpResponse, NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** Sends a whole response, and ends a request that was not fully read. */
export function sendResponse(exchange: Exchange, whole: HttpResponse): void {
  const { request, response, corsHeaders } = exchange;
  if (response.headersSent || response.destroyed) return;
  const { status, headers: described, body, cookies, ...rest } = toConditional(exchange, whole);
  const { trailers, code } = rest;
  if (code !== undefined) exchange.code = code;
  const headers = {
    ...(isShared(exchange, described) ? corsHeaders : toFixedHeaders(exchange)),
    ...described,
  };
  const { vary } = corsHeaders;
  if (vary !== undefined && headers.vary !== vary) headers.vary = `${vary}, ${headers.vary}`;
  const isBodyless = status === 204 || status === 304;
  // No length with trailers: HTTP/1.1 sends them only with chunked encoding.
  if (!isBodyless && trailers === undefined) headers["content-length"] = String(body.length);
  const isUnfinished = exchange.arrivedBody === undefined && isUnread(request) && hasBody(request);
  if (isUnfinished && request.stream === undefined) headers.connection = "close";
  if (cookies !== undefined) response.setHeader("set-cookie", cookies);
  response.writeHead(status, headers);
  if (trailers !== undefined) response.addTrailers(trailers);
  const withBody = !isBodyless && request.method !== "HEAD" && body.length > 0;
  if (isUnfinished) {
    if (withBody) {
      response.write(body);
      exchange.unread.add(exchange, body.length);
    } else {
      response.flushHeaders();
    }
    lingerAndClose(request, response);
  } else if (withBody) {
    exchange.unread.end(exchange, body);
  } else {
    response.end();
  }
}

/**
 * Replaces a response by 304, without the headers that describe a body, if the client of a GET already has it. This
 * also holds under `no-cache`, because the ETag is compared with the current response (contract: delivery 7).
 */
function toConditional({ method, request }: Exchange, response: HttpResponse): HttpResponse {
  const { etag } = response.headers;
  const ifNoneMatch = request.headers["if-none-match"];
  const isChecked = method === "GET" && response.status === 200 && ifNoneMatch !== undefined;
  if (!isChecked || etag === undefined) return response;
  if (ifNoneMatch !== etag && !matchesIfNoneMatch(ifNoneMatch, etag)) return response;
  const { "content-type": _type, "content-encoding": _encoding, ...headers } = response.headers;
  return { ...response, status: 304, headers, body: new Uint8Array() };
}

/**
 * Returns the headers that every response to a request has: its id, the rate limits of its client, and those that let
 * web pages read it.
 */
export function toFixedHeaders(exchange: Exchange): Record<string, string> {
  const { corsHeaders, requestId, rateHeaders } = exchange;
  return { ...corsHeaders, "x-request-id": requestId, ...rateHeaders };
}

/**
 * Reports whether shared caches may store a response (contract: delivery 7). It then has no request id, and no rate
 * limits, which would be misleading for later requests.
 */
function isShared({ method }: Exchange, headers: HttpResponse["headers"]): boolean {
  const isCacheable = method === "GET" || method === "HEAD";
  return isCacheable && headers["cache-control"]?.startsWith("public") === true;
}

function hasBody({ headers, stream }: NodeRequest): boolean {
  if (stream !== undefined) return !stream.endAfterHeaders;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Reports whether the client is still sending a body. */
export function isUnread(request: NodeRequest): boolean {
  return !request.complete;
}

/**
 * Ends a response whose request was not fully read. Over HTTP/1.1, the rest is read and discarded, within limits of
 * bytes and time, and the connection is closed. So the client sees the response, and the rest is not taken for another
 * request. Over HTTP/2, the stream is reset as soon as the response is written, so that the client stops sending (RFC
 * 9113 8.1).
 */
export function lingerAndClose(request: NodeRequest, response: NodeResponse): void {
  const { stream } = request;
  let leftBytes = HTTP_LIMITS.lingerBytes;
  let watch: NodeJS.Timeout | undefined;
  const finish = () => {
    clearTimeout(timer);
    clearInterval(watch);
    request.removeAllListeners("data");
    if (stream === undefined) response.end(() => request.socket.destroy());
    // A stream whose request has ended closes on its own, after its trailers are sent.
    else if (!request.complete) stream.close();
  };
  const timer = setTimeout(finish, HTTP_LIMITS.lingerTime);
  request.on("data", (chunk: Uint8Array) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) finish();
  });
  request.once("end", finish);
  request.once("close", finish);
  request.resume();
  // Ending a response over HTTP/1.1 ends the connection, so it must wait.
  if (stream === undefined) return;
  response.end();
  // No event signals that the last frame of the response is written, and a reset must not precede it. A short body that
  // is on its way ends by itself: a reset would race with the client, which then sees either of the two.
  let leftTime = RESET_GRACE;
  watch = setInterval(() => {
    if (stream.state.localClose === 1) leftTime -= RESET_INTERVAL;
    if (stream.destroyed || leftTime <= 0) finish();
  }, RESET_INTERVAL);
}

/** The interval between checks whether a stream can be reset after its response, in milliseconds … */
const RESET_INTERVAL = 5;

/** … and the time for its request to end by itself. */
const RESET_GRACE = 100;
