import type { Answer, Exchange, NodeRequest } from "./exchange.ts";
import { isUnread, lingerAndClose } from "./request-body.ts";

/** Sends a whole response, and ends a request that was not fully read. */
export function sendAnswer(exchange: Exchange, answer: Answer): void {
  const { request, response, corsHeaders } = exchange;
  if (response.headersSent || response.destroyed) return;
  const { status, body, trailers, code } = answer;
  if (code !== undefined) exchange.outcome.code = code;
  const unread = exchange.arrivedBody === undefined && isUnread(request) && hasBody(request);
  const headers = {
    ...(isShared(request, answer) ? corsHeaders : toFixedHeaders(exchange)),
    ...answer.headers,
  };
  const { vary } = corsHeaders;
  if (vary !== undefined && headers.vary !== vary) headers.vary = `${vary}, ${headers.vary}`;
  const isBodyless = status === 204 || status === 304;
  // No length with trailers: HTTP/1.1 sends them only with chunked encoding.
  if (!isBodyless && trailers === undefined) headers["content-length"] = String(body.length);
  if (unread && request.stream === undefined) headers.connection = "close";
  response.writeHead(status, headers);
  if (trailers !== undefined) response.addTrailers(trailers);
  const withBody = !isBodyless && request.method !== "HEAD" && body.length > 0;
  const reader = request.stream ?? request.socket;
  if (unread) {
    if (withBody) {
      response.write(body);
      exchange.unread.add(response, body.length, request, reader);
    } else {
      response.flushHeaders();
    }
    lingerAndClose(request, response);
  } else if (withBody) {
    exchange.unread.end(response, body, request, reader);
  } else {
    response.end();
  }
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
function isShared({ method }: NodeRequest, { headers }: Answer): boolean {
  const isCacheable = method === "GET" || method === "HEAD";
  return isCacheable && headers["cache-control"]?.startsWith("public") === true;
}

function hasBody(request: NodeRequest): boolean {
  const { headers, stream } = request;
  if (stream !== undefined) return !stream.endAfterHeaders;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
