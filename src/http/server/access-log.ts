import type { Logger } from "pino";
import type { Handled } from "./exchange.ts";

/** The logged status of a request whose client disconnected before it was answered. */
const CLIENT_GONE = 499;

/** Logs one line for each request at its end, without the query, which may be private. */
export function logAccess(log: Logger, handled: Handled): void {
  if (!log.isLevelEnabled("info")) return;
  const { request, response, method, path, requestId, client } = handled;
  const start = performance.now();
  response.once("close", () => {
    log.info(
      {
        request_id: requestId,
        method,
        path,
        status: response.headersSent ? response.statusCode : CLIENT_GONE,
        complete: response.writableFinished,
        duration_ms: Math.round((performance.now() - start) * 1_000) / 1_000,
        http: request.httpVersion,
        remote: client.address,
      },
      "request",
    );
  });
}

/** Logs data on a connection that was not a request. */
export function logUnreadable(
  log: Logger,
  { requestId, status, remote }: { requestId: string; status: number; remote: string | undefined },
): void {
  log.info({ request_id: requestId, status, remote }, "unreadable");
}
