import { matchesIfNoneMatch } from "../../domain/base/etag.ts";
import type { Exchange, HttpResponse, NodeRequest } from "./exchange.ts";
import { lingerAndClose } from "./unread-requests.ts";
import { CHUNK } from "./unread-responses.ts";

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
  const isUnfinished = exchange.arrivedBody === undefined && !request.complete && hasBody(request);
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
    endWith(exchange, body);
  } else {
    response.end();
  }
}

/** Ends a response with a body; what its reader does not take at once counts as unread. */
function endWith(exchange: Exchange, body: Uint8Array): void {
  const { request, response, unread } = exchange;
  if (body.length > CHUNK) {
    unread.endInChunks(exchange, body);
    return;
  }
  response.end(body);
  // It leaves this process immediately; one that waits behind another on its connection has no socket yet.
  const hasLeft = request.stream === undefined && response.socket?.writableLength === 0;
  if (!hasLeft) unread.add(exchange, body.length);
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
