import type { Answer, NodeRequest, NodeResponse } from "./exchange.ts";
import { isUnread, lingerAndClose } from "./request-body.ts";

/** Sends an answer that is there as a whole and settles what is left of the request. */
export function sendAnswer(request: NodeRequest, response: NodeResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const unread = isUnread(request) && hasBody(request);
  const headers: Record<string, string> = { ...answer.headers };
  const isBodyless = answer.status === 204 || answer.status === 304;
  if (!isBodyless) headers["content-length"] = String(answer.body.length);
  if (unread && request.stream === undefined) headers.connection = "close";
  response.writeHead(answer.status, headers);
  if (!isBodyless && request.method !== "HEAD") response.write(answer.body);
  if (unread) lingerAndClose(request, response);
  else response.end();
}

function hasBody(request: NodeRequest): boolean {
  const { headers, stream } = request;
  if (stream !== undefined) return !stream.endAfterHeaders;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
