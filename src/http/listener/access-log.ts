import type { Logger } from "pino";
import type { Exchange } from "./exchange.ts";

/** The logged status of a request whose client disconnected before the response. */
const CLIENT_GONE = 499;

/**
 * Logs a request whose response has closed, in one line without the query, which may be private. `duration` is in
 * milliseconds.
 */
export function logRequest(log: Logger, exchange: Exchange, duration: number): void {
  const { request, response } = exchange;
  log.info(
    {
      request_id: exchange.requestId,
      method: exchange.method,
      path: exchange.path,
      status: response.headersSent ? response.statusCode : CLIENT_GONE,
      complete: response.headersSent && response.writableFinished,
      duration_ms: Math.round(duration * 1_000) / 1_000,
      http: request.httpVersion,
      remote: exchange.client.address,
    },
    "request",
  );
}

/** Logs data on a connection that was not a request. */
export function logUnreadable(
  log: Logger,
  { requestId, status, remote }: { requestId: string; status: number; remote: string | undefined },
): void {
  log.info({ request_id: requestId, status, remote }, "unreadable");
}
