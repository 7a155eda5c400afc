import type { Logger } from "pino";
import type { Exchange } from "./exchange.ts";

/** Writes one line a request when it is over. The query stays out: it may hold what is private. */
export function logAccess(log: Logger, exchange: Exchange): void {
  if (!log.isLevelEnabled("info")) return;
  const { request, response, method, path, requestId } = exchange;
  const start = performance.now();
  response.once("close", () => {
    log.info(
      {
        request_id: requestId,
        method,
        path,
        status: response.statusCode,
        complete: response.writableFinished,
        duration_ms: Math.round((performance.now() - start) * 1_000) / 1_000,
        http: request.httpVersion,
        remote: request.socket.remoteAddress,
      },
      "request",
    );
  });
}
