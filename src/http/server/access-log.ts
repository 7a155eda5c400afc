import type { Logger } from "pino";
import type { Handled } from "./exchange.ts";

/** What the line of a request says whose client left before it got an answer. */
const CLIENT_GONE = 499;

/** Writes one line a request when it is over. The query stays out: it may hold what is private. */
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

/** Writes the line of what came on a connection and was no request. */
export function logUnreadable(
  log: Logger,
  { requestId, status, remote }: { requestId: string; status: number; remote: string | undefined },
): void {
  log.info({ request_id: requestId, status, remote }, "unreadable");
}
