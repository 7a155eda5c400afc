import type { HotAnswer } from "../cache/hot-index.ts";
import type { Answer, NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { isUnread, lingerAndClose } from "./request-body.ts";

/** Sends a whole answer, and deals with a request that was not read to its end. */
export function sendAnswer(request: NodeRequest, response: NodeResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body, trailers } = answer;
  const unread = isUnread(request) && hasBody(request);
  const headers: Record<string, string> = { ...answer.headers };
  const isBodyless = status === 204 || status === 304;
  // With trailers the length is told by the end: HTTP/1.1 sends them with chunks only.
  if (!isBodyless && trailers === undefined) headers["content-length"] = String(body.length);
  if (unread && request.stream === undefined) headers.connection = "close";
  if (isShared(request, answer)) response.removeHeader("x-request-id");
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
  if (withBody && !isTaken(request, response)) cutSlowReader(request, response);
}

/** Sends a hot answer to an HTTP/1.1 request without a body, and tells whether it has been taken. */
export function sendHot(
  request: NodeRequest,
  response: NodeResponse,
  { status, rawHeaders, body }: HotAnswer,
): boolean {
  response.writeHead(status, [...rawHeaders]);
  response.end(body);
  if (isTaken(request, response)) return true;
  cutSlowReader(request, response);
  return false;
}

/**
 * Tells whether caches give an answer to others too (contract: delivery 7). It carries no request id then,
 * which would mislead them.
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
 * Tells whether an ended answer has left this process, as short ones do at once. Unknown for HTTP/2; behind
 * another answer on the same connection, one waits without a socket.
 */
function isTaken(request: NodeRequest, response: NodeResponse): boolean {
  return request.stream === undefined && response.socket?.writableLength === 0;
}

/** Ends a request whose client does not take the answer in time. */
function cutSlowReader(request: NodeRequest, response: NodeResponse): void {
  const timer = setTimeout(
    () => (request.stream ?? request.socket).destroy(),
    HTTP_LIMITS.answerTimeout,
  );
  response.once("close", () => clearTimeout(timer));
}
