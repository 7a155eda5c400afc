import type { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type { Answer, Handled, NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
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
  if (unread) {
    if (withBody) response.write(body);
    else response.flushHeaders();
    lingerAndClose(request, response);
  } else {
    response.end(withBody ? body : undefined);
  }
  if (withBody && !isTaken(request, response)) {
    cutSlowReader(request.stream ?? request.socket, response);
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

/**
 * Reports whether an ended answer has left this process, as short ones do immediately. Unknown for HTTP/2; an
 * answer that waits behind another on its connection has no socket yet.
 */
export function isTaken(request: NodeRequest, response: NodeResponse): boolean {
  return request.stream === undefined && response.socket?.writableLength === 0;
}

/** Ends the stream or connection of a client that does not read its answer in time. */
export function cutSlowReader(reader: Duplex, answer: EventEmitter): void {
  const timer = setTimeout(() => reader.destroy(), HTTP_LIMITS.answerTimeout);
  answer.once("close", () => clearTimeout(timer));
}
