import type { Answer, Handled, NodeRequest } from "./exchange.ts";
import { isUnread, lingerAndClose } from "./request-body.ts";

/** Sends a whole answer, and ends a request that was not fully read. */
export function sendAnswer(handled: Handled, answer: Answer): void {
  const { request, response } = handled;
  if (response.headersSent || response.destroyed) return;
  const { status, body, trailers, code } = answer;
  if (code !== undefined && handled.outcome !== undefined) handled.outcome.code = code;
  const unread = isUnread(request) && hasBody(request);
  const headers = {
    ...(isShared(request, answer) ? handled.corsHeaders : toFixedHeaders(handled)),
    ...answer.headers,
  };
  const { vary } = handled.corsHeaders;
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
      handled.unread.add(response, body.length, request, reader);
    } else {
      response.flushHeaders();
    }
    lingerAndClose(request, response);
  } else if (withBody) {
    handled.unread.end(response, body, request, reader);
  } else {
    response.end();
  }
}

/**
 * Returns the headers that the answer to a request has whatever it is: its id, the rate limits of its client, and those
 * that let web pages read it.
 */
export function toFixedHeaders(handled: Handled): Record<string, string> {
  const { corsHeaders, requestId, rateHeaders } = handled;
  return { ...corsHeaders, "x-request-id": requestId, ...rateHeaders };
}

/**
 * Reports whether shared caches may store an answer (contract: delivery 7). It then has no request id, and no rate
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
