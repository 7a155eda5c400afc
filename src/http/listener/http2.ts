import http2 from "node:http2";
import type { NodeRequest, NodeResponse, RequestListener } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/** The HTTP/2 server of a listener, which emits `connection` on it. */
export interface Http2Server {
  readonly server: http2.Http2Server;
  /** Accepts no more streams on existing connections, and one stream on each new one. */
  drain(): void;
  /** Accepts no more streams; each connection is closed after its last one. */
  close(): void;
}

/** Creates the HTTP/2 server of a listener. */
export function createHttp2(listener: RequestListener): Http2Server {
  const sessions = new Set<http2.ServerHttp2Session>();
  let isDraining = false;
  let isClosing = false;
  const server = http2.createServer({
    maxSessionInvalidFrames: 100,
    settings: {
      maxConcurrentStreams: HTTP_LIMITS.streams,
      maxHeaderListSize: HTTP_LIMITS.url + HTTP_LIMITS.headers + 1024,
      enableConnectProtocol: false,
    },
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    watch(session);
    if (isClosing) session.close();
    else if (isDraining) session.once("stream", () => session.close());
  });
  const receive = (request: unknown, response: unknown) =>
    listener.onRequest(request as NodeRequest, response as NodeResponse);
  server.on("request", receive);
  server.on("checkContinue", receive);
  server.on("checkExpectation", receive);
  // Emitted for the method CONNECT, with a request and a response.
  server.on("connect", receive as () => void);
  return {
    server,
    drain() {
      isDraining = true;
      for (const session of sessions) session.close();
    },
    close() {
      isClosing = true;
      for (const session of sessions) session.close();
    },
  };
}

/**
 * Closes idle connections. A stream may be quiet while it waits for an event, so while one is open the client
 * only has to answer pings.
 */
function watch(session: http2.ServerHttp2Session): void {
  let open = 0;
  session.on("stream", (stream) => {
    open += 1;
    stream.once("close", () => {
      open -= 1;
    });
  });
  const arm = () =>
    session.setTimeout(HTTP_LIMITS.idleTimeout, () => {
      if (session.destroyed) return;
      if (open === 0) {
        session.close();
        return;
      }
      const cut = setTimeout(() => session.destroy(), HTTP_LIMITS.pingTimeout);
      session.ping((fault) => {
        clearTimeout(cut);
        if (fault === null) arm();
      });
    });
  arm();
}
