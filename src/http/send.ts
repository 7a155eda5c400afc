import type { Answer, NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";
import { isUnread, lingerAndClose } from "./request-body.ts";

/** Sends an answer that is there as a whole and settles what is left of the request. */
export function sendAnswer(request: NodeRequest, response: NodeResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body, trailers } = answer;
  const unread = isUnread(request) && hasBody(request);
  const headers: Record<string, string> = { ...answer.headers };
  const isBodyless = status === 204 || status === 304;
  // With trailers the length is told by the end: HTTP/1.1 sends them with chunks only.
  if (!isBodyless && trailers === undefined) headers["content-length"] = String(body.length);
  if (unread && request.stream === undefined) headers.connection = "close";
  response.writeHead(status, headers);
  if (trailers !== undefined) response.addTrailers(trailers);
  const withBody = !isBodyless && request.method !== "HEAD" && body.length > 0;
  if (withBody) cutSlowReader(request, response);
  if (!unread) {
    response.end(withBody ? body : undefined);
    return;
  }
  if (withBody) response.write(body);
  else response.flushHeaders();
  lingerAndClose(request, response);
}

function hasBody(request: NodeRequest): boolean {
  const { headers, stream } = request;
  if (stream !== undefined) return !stream.endAfterHeaders;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Ends a request whose client does not take the answer, so that it cannot hold it for ever. */
function cutSlowReader(request: NodeRequest, response: NodeResponse): void {
  const timer = setTimeout(
    () => (request.stream ?? request.socket).destroy(),
    HTTP_LIMITS.answerTimeout,
  );
  response.once("close", () => clearTimeout(timer));
}
