import type { Server } from "node:http";
import { http } from "../../network/node-http.ts";
import type { RequestListener } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** Creates the HTTP/1 server of a listener, which emits `connection` on it. */
export function createHttp1({ onRequest, onUnreadable }: RequestListener): Server {
  const server = http.createServer({
    // The limits of target and headers are checked separately later, so that each has its own answer.
    maxHeaderSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
    headersTimeout: HTTP_LIMITS.headersTimeout,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    keepAliveTimeout: HTTP_LIMITS.idleTimeout,
    connectionsCheckingInterval: HTTP_LIMITS.checkInterval,
    requireHostHeader: false,
    // Marks a request without a body as read, which saves a tenth of the time of a GET.
    optimizeEmptyRequests: true,
  });
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
  server.on("checkExpectation", onRequest);
  server.on("clientError", onUnreadable);
  server.on("connect", (_request, socket) => {
    onUnreadable(new Error("CONNECT is for proxies"), socket);
  });
  return server;
}
